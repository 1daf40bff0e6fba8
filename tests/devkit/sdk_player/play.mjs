// Plays captured answers through the real client of each SDK and prints the message that each put together.
//
//   node play.mjs [--sdk 5,6,7] [--status 200] [--piece 7] [--reload] FIRST [SECOND]
//
// FIRST is the body of the answer to a message. With SECOND, FIRST breaks off after its last byte and the client
// resumes, in the same page or, with --reload, in a new one that has only the person's message from its history.
// SECOND is what it is then given. One JSON object on standard output: {"5": shown, ...}.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { load, openScreen } from './screen.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sdk: { type: 'string', default: '5,6,7' },
    status: { type: 'string', default: '200' },
    piece: { type: 'string', default: '0' },
    reload: { type: 'boolean', default: false },
  },
});
const captures = positionals.map(name => new Uint8Array(readFileSync(name)));

// A body in pieces of some bytes, so that characters and events are cut anywhere.
function body(bytes, breaks) {
  const size = Number(values.piece) || bytes.length || 1;
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.slice(at, at += size));
      } else if (breaks) {
        // What has been given must be read before the break throws it away.
        await new Promise(resolve => setTimeout(resolve, 50));
        controller.error(new TypeError('network error'));
      } else {
        controller.close();
      }
    },
  });
}

async function play(major) {
  const sdk = await load(major);
  const waiting = captures.map((bytes, index) => ({ bytes, breaks: index < captures.length - 1 }));
  const fetch = async () => {
    const { bytes, breaks } = waiting.shift();
    const status = Number(values.status);
    return new Response(status === 204 ? null : body(bytes, breaks), {
      status,
      headers: { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' },
    });
  };
  const transport = new sdk.DefaultChatTransport({ api: 'http://127.0.0.1/chat', fetch });
  let screen = openScreen(sdk, { transport });
  await screen.chat.sendMessage({ text: 'hi' });
  if (values.reload) screen = openScreen(sdk, { transport, messages: screen.chat.messages.slice(0, 1) });
  if (captures.length > 1) await screen.chat.resumeStream();
  return screen.shown();
}

const results = {};
for (const major of values.sdk.split(',')) results[major] = await play(major);
console.log(JSON.stringify(results));
