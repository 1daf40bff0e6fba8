/** Tells the person's other tabs that a conversation has moved on, so that they show it too. */
export class Tabs {
  readonly #channel: BroadcastChannel;

  constructor(subject: string, onMoved: (conversationId: string) => void) {
    this.#channel = new BroadcastChannel(`lanekeeper:${subject}`);
    this.#channel.onmessage = (event: MessageEvent<string>) => onMoved(event.data);
  }

  tell(conversationId: string): void {
    this.#channel.postMessage(conversationId);
  }

  close(): void {
    this.#channel.close();
  }
}
