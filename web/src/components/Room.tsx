import { useRef } from "react";
import type { Workspace } from "../conversation/workspace";
import { ConversationView } from "./ConversationView";
import { Icon } from "./Icon";
import { DemoLabel } from "./Notices";
import { Sidebar } from "./Sidebar";
import { useChanges } from "./useChanges";
import { useMedia } from "./useMedia";

interface Props {
  workspace: Workspace;
  name: string;
  isDemo: boolean;
  onSignOut(): void;
}

export function Room({ workspace, name, isDemo, onSignOut }: Props) {
  const live = useChanges(workspace.changed, workspace.live);
  useChanges(workspace.list.changed, workspace.list.listing);
  const isNarrow = useMedia("(max-width: 47.99rem)");
  const drawer = useRef<HTMLDialogElement>(null);
  const sidebar = (
    <Sidebar
      list={workspace.list}
      openId={live.conversationId}
      name={name}
      onSignOut={onSignOut}
      onChosen={() => drawer.current?.close()}
    />
  );
  const title = workspace.list.titleOf(live.conversationId) || "New conversation";
  return (
    <div className="room">
      {isNarrow ? (
        <dialog
          ref={drawer}
          className="drawer"
          aria-label="Conversations"
          onClick={(event) => event.target === drawer.current && drawer.current.close()}
        >
          <button type="button" className="icon-button drawer-close" onClick={() => drawer.current?.close()}>
            <Icon name="close" />
            <span className="unseen">Close conversations</span>
          </button>
          {sidebar}
        </dialog>
      ) : (
        <aside className="side">{sidebar}</aside>
      )}
      <main className="talk">
        <header className="talk-head">
          {isNarrow && (
            <button type="button" className="icon-button" onClick={() => drawer.current?.showModal()}>
              <Icon name="menu" />
              <span className="unseen">Conversations</span>
            </button>
          )}
          <div className="talk-title">
            <h1 title={title}>{title}</h1>
            <span className="badge">AI assistant</span>
            {isDemo && <DemoLabel />}
          </div>
        </header>
        <ConversationView key={live.chatId} live={live} workspace={workspace} />
      </main>
    </div>
  );
}
