// Tries each switch of switches.mjs with the real client: npm run lab:switches [-- client …]. A rule denies the command that the scripted
// model wants; where it runs all the same, the switch took Zeph's hook away.
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DENY } from "./cells.mjs";
import { CLIENTS } from "./clients.mjs";
import { findClient, installClients } from "./find-client.mjs";
import { removePlace } from "./place.mjs";
import { runCell } from "./run-cell.mjs";
import { SWITCHES } from "./switches.mjs";

const PINNED = join(import.meta.dirname, "switches.json");
const HELP = `npm run lab:switches -- [client …] [--only "a switch"] [--install] [--pin] [--keep]
`;
const flag = { type: "boolean", default: false };
const { values, positionals } = parseArgs({
  options: { only: { type: "string" }, install: flag, pin: flag, keep: flag, help: flag },
  allowPositionals: true,
});
if (values.help) {
  process.stderr.write(HELP);
  process.exit(0);
}
const names = positionals.length > 0 ? positionals : Object.keys(SWITCHES);
if (values.install) installClients(names);
const pinned = existsSync(PINNED) ? JSON.parse(readFileSync(PINNED, "utf8")) : {};
const base = realpathSync(mkdtempSync(join(tmpdir(), "zsw-")));
if (values.keep) process.stderr.write(`${base}\n`);
else process.on("exit", () => removePlace(base));

let wrong = 0;
let count = 0;
for (const client of names) {
  const found = findClient(client);
  if (found.missing) {
    process.stderr.write(`${client}: ${found.missing}\n`);
    process.exitCode = 1;
    continue;
  }
  for (const [name, how] of Object.entries(SWITCHES[client])) {
    if (values.only && values.only !== name) continue;
    const result = await runCell({ run: (open) => tried(open, client, how) }, client, found, {
      base: join(base, String(count++)),
      keep: values.keep,
    });
    const before = pinned[client]?.[name];
    const isSame = before === undefined || before === result.outcome;
    if (!isSame) wrong++;
    process.stderr.write(`${isSame ? "" : `CHANGED (${before}) `}${client} ${name}: ${result.outcome}\n`);
    if (!isSame || result.outcome === "not started") process.stderr.write(`${JSON.stringify(result)}\n`);
    if (values.pin) pinned[client] = { ...pinned[client], [name]: result.outcome };
  }
}
if (values.pin) writeFileSync(PINNED, `${JSON.stringify(pinned, null, 2)}\n`);
if (wrong > 0 && !values.pin) process.exitCode = 1;

/** In words that are the same from run to run. A client that refuses the switch, or ends before it calls anything, has run nothing. */
async function tried(open, client, { after, words = () => [], env = () => ({}) }) {
  const { alone } = CLIENTS[client];
  const { place, model } = await open.alone({
    rules: DENY,
    steps: [{ kind: "bash", command: "touch ran" }],
    after,
    argv: (at) => [...alone, ...words(at)],
    late: env,
  });
  if (existsSync(join(place.work, "ran"))) return place.audit().length === 0 ? "off" : "ran, but judged";
  if (model.read.length === 0) return "not started";
  return /zeph \w+: /.test(model.read[0]) ? "in force" : "not run, without Zeph";
}
