// The chat as a page sees it: the SDK's own chat class over plain arrays instead of a framework's state.
export const SDKS = { 5: 'ai5', 6: 'ai6', 7: 'ai' };

export const load = major => import(SDKS[major]);

const plain = value => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

export function openScreen(sdk, { transport, id = 'chat-1', messages = [] }) {
  class Screen extends sdk.AbstractChat {
    constructor() {
      const state = {
        status: 'ready',
        error: undefined,
        messages,
        pushMessage(message) { state.messages = [...state.messages, message]; },
        popMessage() { state.messages = state.messages.slice(0, -1); },
        replaceMessage(index, message) { state.messages = state.messages.with(index, structuredClone(message)); },
        snapshot: value => structuredClone(value),
      };
      super({
        id, state, transport,
        onData: part => data.push(plain(part)),
        onFinish: how => finishes.push({ isAbort: how.isAbort, isDisconnect: how.isDisconnect, isError: how.isError }),
        onError: () => {},
      });
    }
  }
  const data = [], finishes = [];
  const chat = new Screen();
  const shown = () => ({
    status: chat.status,
    error: chat.error ? String(chat.error.message) : null,
    finishes,
    data,
    messages: plain(chat.messages),
  });
  return { chat, shown };
}
