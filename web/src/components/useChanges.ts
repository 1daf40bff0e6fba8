import { useSyncExternalStore } from "react";
import type { Changes } from "../conversation/changes";

export function useChanges<T>(changes: Changes, read: () => T): T {
  return useSyncExternalStore(changes.subscribe, read);
}
