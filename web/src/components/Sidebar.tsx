import type { ConversationList } from "../conversation/conversationList";
import { addressOf } from "../conversation/workspace";
import { Icon } from "./Icon";
import { ProblemLine } from "./ProblemLine";
import { useChanges } from "./useChanges";
import { Wordmark } from "./Wordmark";

interface Props {
  list: ConversationList;
  openId: string | null;
  name: string;
  onSignOut(): void;
  onChosen(): void;
}

export function Sidebar({ list, openId, name, onSignOut, onChosen }: Props) {
  const { items, next, loading, problem } = useChanges(list.changed, list.listing);
  return (
    <div className="sidebar">
      <Wordmark />
      <a className="button new" href={addressOf(null)} onClick={onChosen}>
        <Icon name="plus" size={18} />
        New conversation
      </a>
      <nav aria-label="Conversations">
        <ul>
          {items.map(({ id, title }) => (
            <li key={id}>
              <a href={addressOf(id)} aria-current={id === openId ? "page" : undefined} onClick={onChosen}>
                {title || "New conversation"}
              </a>
            </li>
          ))}
        </ul>
        {items.length === 0 && !loading && !problem && <p className="hint">Your conversations will be kept here.</p>}
        {problem && items.length === 0 && (
          <ProblemLine problem={problem} action="Try again" onAction={() => void list.load()} />
        )}
        {next !== null && (
          <button type="button" className="button quiet" disabled={loading} onClick={() => void list.more()}>
            Show more
          </button>
        )}
      </nav>
      <footer>
        <span className="who" title={name}>
          {name}
        </span>
        <button type="button" className="icon-button" onClick={onSignOut} title="Sign out">
          <Icon name="leave" />
          <span className="unseen">Sign out</span>
        </button>
      </footer>
    </div>
  );
}
