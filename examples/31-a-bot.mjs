// A bot with many sessions over one runtime (SESSIONS=200 for a look at two hundred). Each has a folder, a conversation and a budget of its own. A question
// goes to a person over HTTP, and may be answered after a restart, because it is in the store.
import assert from "node:assert";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createAgent, createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const root = scratchFolder();
const cwd = join(root, "sessions");
mkdirSync(cwd);
/** Writes a note when it is told to, then repeats what the tool said. */
const model = {
  id: "example/bot",
  async *stream({ messages }) {
    const { role, text } = messages.at(-1);
    const request = { id: `n${messages.length}`, name: "write", args: { path: "note.txt", content: text } };
    yield role === "user" ? { type: "request", request } : { type: "text", text: `The tool said: ${text}` };
  },
};

/** The bot: `POST /say/<session>` with a text, `POST /answer/<session>/<call>` with an answer. */
async function openBot() {
  const config = { audit: { path: join(root, "audit.jsonl") } };
  const zeph = await createRuntime({ cwd, store: join(root, "zeph.db"), config, confirm: () => "later" });
  const agents = new Map();
  const open = async (id) => {
    mkdirSync(join(cwd, id), { recursive: true });
    const options = { runtime: zeph.as({ id, workspace: id, limits: { calls: 100 } }), model };
    return createAgent({ ...options, conversation: "last" }).catch(() => createAgent(options));
  };
  const server = createServer(async (request, response) => {
    const [, kind, id, call] = request.url.split("/");
    const body = await new Response(request).text();
    if (!agents.has(id)) agents.set(id, open(id));
    const agent = await agents.get(id);
    if (kind === "say") return response.end(JSON.stringify(await agent.run(body)));
    for await (const event of agent.answer(call, JSON.parse(body))) if (event.type === "text") response.write(event.text);
    response.end();
  }).listen(0);
  const post = async (path, body) => (await fetch(`http://127.0.0.1:${server.address().port}${path}`, { method: "POST", body })).text();
  return { post, close: () => Promise.all([zeph.close(), server.close(), server.closeAllConnections()]) };
}

const sessions = Array.from({ length: Number(process.env.SESSIONS ?? 10) }, (_, n) => `s${n}`);
const bot = await openBot();
const asked = (await Promise.all(sessions.map((id) => bot.post(`/say/${id}`, `the note of ${id}`)))).map((said) => JSON.parse(said));
assert(asked.every(({ why, questions }) => why === "waiting" && questions.length === 1));
await bot.close();
const again = await openBot(); // after a restart
const yes = JSON.stringify({ answer: "once", by: "ada" });
const said = await Promise.all(sessions.map((id, n) => again.post(`/answer/${id}/${asked[n].questions[0].call_id}`, yes)));
assert(said.every((text) => text.startsWith("The tool said: Created")));
for (const id of sessions) assert.equal(readFileSync(join(cwd, id, "note.txt"), "utf8"), `the note of ${id}`);
await again.close();
