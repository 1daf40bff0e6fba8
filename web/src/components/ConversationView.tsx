import { useChat } from "@ai-sdk/react";
import { useEffect, useState } from "react";
import { FileSourceContext } from "../attachments/fileSource";
import type { LiveConversation } from "../conversation/liveConversation";
import type { ReplyMessage } from "../conversation/message";
import { NO_PROGRESS } from "../conversation/view";
import type { Workspace } from "../conversation/workspace";
import { Announcer } from "./Announcer";
import { Composer, COMPOSER_FIELD } from "./Composer";
import { expectReplies, Message } from "./Message";
import { AiNotice } from "./Notices";
import { PendingMessage } from "./PendingMessage";
import { ProblemLine } from "./ProblemLine";
import { Transcript } from "./Transcript";
import { Typing } from "./Typing";
import { useChanges } from "./useChanges";
import { Welcome } from "./Welcome";

/** Text is drawn at most this often while it streams. */
const DRAW_MS = 40;

export function ConversationView({ live, workspace }: { live: LiveConversation; workspace: Workspace }) {
  const view = useChanges(live.changed, live.view);
  const { messages, status } = useChat<ReplyMessage>({ chat: live.chat, throttle: DRAW_MS });
  useEffect(expectReplies, []);
  const [attachments] = useState(() => workspace.newAttachments());
  useEffect(() => () => attachments.leave(), [attachments]);
  const streaming = status === "streaming" ? messages.at(-1)?.id : undefined;
  const newestOwn = view.pending.at(-1)?.message.id ?? messages.findLast(({ role }) => role === "user")?.id;
  const isEmpty = view.phase === "ready" && messages.length === 0 && view.pending.length === 0 && !view.problem;
  const isOffline = !view.connected || view.pending.some(({ state }) => state === "offline");
  const failed = view.pending.filter(({ state }) => state === "failed");
  const pick = (text: string) => {
    live.send(text, {});
    // The button that had the focus is about to go.
    document.getElementById(COMPOSER_FIELD)?.focus();
  };
  return (
    <FileSourceContext value={workspace.file}>
      <Transcript
        label="Messages"
        hasOlder={view.hasOlder}
        loadingOlder={view.loadingOlder}
        onOlder={() => void live.loadOlder()}
        newestOwn={newestOwn}
      >
        {view.phase === "loading" && <p className="hint centred">Loading…</p>}
        {isEmpty && <Welcome onPick={pick} />}
        <ol className="messages" aria-label="Messages">
          {messages.map((message) => (
            <Message
              key={message.id}
              message={message}
              isStreaming={message.id === streaming}
              progress={message.id === streaming ? view.progress : NO_PROGRESS}
              isStopped={view.stopped.has(message.id) || message.metadata?.state === "stopped"}
            />
          ))}
          {view.pending.map((pending) => (
            <PendingMessage
              key={pending.message.id}
              pending={pending}
              onRetry={() => workspace.retry(pending.message.id)}
              onDiscard={() => workspace.discard(pending.message.id)}
            />
          ))}
        </ol>
        {view.busy && <Typing line={view.stopping ? "Stopping" : view.status} />}
      </Transcript>
      <Announcer text={view.spoken} />
      <div className="foot">
        {isOffline && (
          <p className="offline" role="status">
            {view.connected
              ? "You are offline. Your message is kept and will be sent when you are back."
              : "The connection was lost. Joining the reply again…"}
          </p>
        )}
        {view.problem && failed.length === 0 && (
          <ProblemLine
            problem={view.problem}
            action={view.problem.status === 404 ? undefined : "Try again"}
            onAction={() => void live.refresh()}
          />
        )}
        <Composer
          catalogue={workspace.catalogue}
          changed={workspace.changed}
          conversationId={live.conversationId}
          list={workspace.list}
          canStop={view.busy && live.conversationId !== null}
          isStopping={view.stopping}
          attachments={attachments}
          onSend={(text, choices, files) => live.send(text, choices, files)}
          onStop={() => void live.stop()}
        />
        <AiNotice />
      </div>
    </FileSourceContext>
  );
}
