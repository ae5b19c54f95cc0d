// `npm run bench:sessions`: 200 agents with conversations over one runtime, as a bot has them: what each costs in memory and file descriptors, and
// whether anything of one reaches another. Once all in one workspace, once each in a folder of its own. `--quick` for a look; `--write` puts the table into docs/performance.md.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createRuntime } from "../dist/lib/index.js";

const SESSIONS = process.argv.includes("--quick") ? 20 : 200;
const ROUNDS = 3;
const base = mkdtempSync(join(tmpdir(), "zeph-sessions-"));
const descriptors = () => readdirSync("/proc/self/fd").length;
const names = (from, count) => Array.from({ length: count }, (_, n) => `s${from + n}.`);

/** Reads the file of its session, then asks to write it, then says whose it is. */
const model = (name) => ({
  id: "bench/scripted",
  contextTokens: 100_000,
  async *stream({ messages }) {
    const rounds = messages.findLastIndex(({ role }) => role === "user");
    const results = messages.length - 1 - rounds;
    const path = `${name}txt`;
    const request = (tool, args) => ({ type: "request", request: { id: `${messages.length}`, name: tool, args: { path, ...args } } });
    if (results === 0) yield request("read", {});
    else if (results === 2) yield request("write", { content: `kept by ${name}\n` });
    else yield { type: "text", text: `the session ${name}` };
    yield { type: "end", finish: "stop", usage: { input: 1000, cacheRead: 0, cacheWrite: 0, output: 20 } };
  },
});

const rows = [];
for (const kind of ["one workspace", "a workspace each"]) {
  const isOwn = kind === "a workspace each";
  const cwd = mkdtempSync(join(base, "work-"));
  const furnish = (name) => {
    mkdirSync(join(cwd, isOwn ? name : ""), { recursive: true });
    writeFileSync(join(cwd, isOwn ? name : "", `${name}txt`), `kept by ${name}\n`);
  };
  const zeph = await createRuntime({ cwd, store: join(base, `${kind}.db`), config: { audit: { path: join(base, `${kind}.jsonl`) } } });
  let mixed = 0;
  const open = async (name) => {
    furnish(name);
    const heard = [];
    const agent = await createAgent({
      runtime: zeph.as({ id: name, ...(isOwn && { workspace: name }) }),
      model: model(name),
      onEvent: (event) => heard.push(JSON.stringify(event)),
      confirm(question) {
        if (question.caller !== name || !JSON.stringify(question.args).includes(name)) mixed++;
        return "once";
      },
    });
    for (let round = 0; round < ROUNDS; round++) {
      const { text, totals } = await agent.run(`I am ${name}`);
      if (text !== `the session ${name}` || totals.calls !== 2) mixed++;
    }
    const others = (text) => (text.match(/s\d+\./g) ?? []).some((found) => found !== name);
    if (heard.some(others) || others(JSON.stringify(await agent.history()))) mixed++;
    heard.length = 0;
    return agent;
  };
  const agents = await Promise.all(names(0, 10).map(open));
  const before = { rss: settled(), fds: descriptors() };
  const began = performance.now();
  agents.push(...(await Promise.all(names(10, SESSIONS).map(open))));
  const ms = performance.now() - began;
  const mb = (settled() - before.rss) / SESSIONS / 2 ** 20;
  const fds = Math.max(0, descriptors() - before.fds) / SESSIONS;
  rows.push([`${SESSIONS} sessions in ${kind}: memory of each`, `${mb.toFixed(2)} MB`, "1 MB", mb <= 1]);
  rows.push([`${SESSIONS} sessions in ${kind}: file descriptors of each`, fds.toFixed(2), "3", fds <= 3]);
  rows.push([
    `${SESSIONS} sessions in ${kind}, ${ROUNDS} turns with 2 calls each: mixed up`,
    `${mixed} (${(ms / 1000).toFixed(1)} s)`,
    "0",
    mixed === 0,
  ]);
  await Promise.all(agents.map((agent) => agent.close()));
  await zeph.close();
}
rmSync(base, { recursive: true, force: true });

const table = [
  `Machine: ${cpus().length} × ${cpus()[0].model}, Node ${process.versions.node}, busy with other work.`,
  "",
  "| What | Measured | Limit | Holds |",
  "|---|---|---|---|",
  ...rows.map(([what, measured, limit, holds]) => `| ${what} | ${measured} | ${limit} | ${holds ? "yes" : "no"} |`),
].join("\n");
console.log(table);
if (process.argv.includes("--write")) {
  const page = new URL("../docs/performance.md", import.meta.url);
  const marks = /(<!-- bench:sessions -->\n\n)[\s\S]*?(\n\n<!-- \/bench:sessions -->)/;
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(marks, (_all, head, tail) => `${head}${table}${tail}`),
  );
}
if (rows.some(([, , , holds]) => !holds)) process.exitCode = 1;

/** Bytes in use once everything that nobody needs is gone. */
function settled() {
  for (let n = 0; n < 3; n++) globalThis.gc();
  return process.memoryUsage().rss;
}
