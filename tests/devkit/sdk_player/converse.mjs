// An unmodified client against a running system: its own transport, its own fetch, a bearer header.
//
//   node converse.mjs --url http://127.0.0.1:8000 --token JWT [--sdk 7] [--id chat-1] [--resume] [TEXT...]
//
// Sends each text and waits for its answer. With --resume it first takes up whatever is running, as a page does
// that was reloaded; --messages is then what its history held. One JSON object on standard output.
import { parseArgs } from 'node:util';
import { load, openScreen } from './screen.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    sdk: { type: 'string', default: '7' },
    id: { type: 'string', default: 'chat-1' },
    resume: { type: 'boolean', default: false },
    messages: { type: 'string', default: '[]' },
  },
});

const sdk = await load(values.sdk);
const transport = new sdk.DefaultChatTransport({
  api: `${values.url}/chat`,
  headers: { Authorization: `Bearer ${values.token}` },
});
const { chat, shown } = openScreen(sdk, { transport, id: values.id, messages: JSON.parse(values.messages) });
if (values.resume) await chat.resumeStream();
for (const text of positionals) await chat.sendMessage({ text });
console.log(JSON.stringify(shown()));
