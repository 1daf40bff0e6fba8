import { type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "./Icon";

interface Props {
  label: string;
  hasOlder: boolean;
  loadingOlder: boolean;
  onOlder(): void;
  /** The person's newest message: a new one brings the end back into view. */
  newestOwn: string | undefined;
  children: ReactNode;
}

/** How far from the end still counts as reading along, in CSS pixels. */
const NEAR_END = 80;

/** The scrolling part. It follows the newest words only while the reader is at the end. */
export function Transcript({ label, hasOlder, loadingOlder, onOlder, newestOwn, children }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const [isAway, setAway] = useState(false);

  const toEnd = () => {
    const box = scroller.current;
    if (!box) return;
    box.scrollTop = box.scrollHeight;
    lastTop.current = box.scrollTop;
  };

  useEffect(() => {
    const box = content.current;
    if (!box) return;
    const grown = new ResizeObserver(() => follows.current && toEnd());
    grown.observe(box);
    if (scroller.current) grown.observe(scroller.current);
    return () => grown.disconnect();
  }, []);

  useEffect(() => {
    follows.current = true;
    toEnd();
  }, [newestOwn]);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const isNearEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
    // Only who goes up leaves the end. It may also have moved away by itself: a picture has come in below.
    follows.current = isNearEnd || (follows.current && box.scrollTop >= lastTop.current);
    lastTop.current = box.scrollTop;
    setAway(!follows.current);
  };

  return (
    <div className="transcript">
      <div className="scroller" ref={scroller} onScroll={onScroll} role="region" aria-label={label} tabIndex={0}>
        <div className="column" ref={content}>
          {hasOlder && (
            <button type="button" className="button quiet older" disabled={loadingOlder} onClick={onOlder}>
              {loadingOlder ? "Loading…" : "Show earlier messages"}
            </button>
          )}
          {children}
        </div>
      </div>
      {isAway && (
        <button type="button" className="icon-button to-end" onClick={toEnd}>
          <Icon name="down" />
          <span className="unseen">Go to the latest message</span>
        </button>
      )}
    </div>
  );
}
