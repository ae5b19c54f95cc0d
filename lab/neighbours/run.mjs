// Real agents with the hooks that `zeph hook install` writes, and a scripted model: npm run lab:neighbours [-- client … --only cell].
// It needs a registry or the clients in ZEPH_NEIGHBOURS_DIR, takes a quarter of an hour and is no part of the other tests.
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CELLS, SETS } from "./cells.mjs";
import { CLIENTS } from "./clients.mjs";
import { findClient, installClients } from "./find-client.mjs";
import { removePlace } from "./place.mjs";
import { runCell } from "./run-cell.mjs";
import { tableOf, writePage } from "./table.mjs";

const EXPECTED = join(import.meta.dirname, "expected.json");
const HELP = `npm run lab:neighbours -- [client …] [flags]
  --only a,b   these cells alone: ${Object.keys(CELLS).join(", ")};
               snippets: all that begin with snippet
  --install    fetch the clients in their pinned versions first; what is there is kept
  --json       print what was found as JSON
  --pin        write what was found into expected.json
  --write      put the tables into docs/neighbours-tested.md; wants every client, and every cell of a table
  --keep       leave the folders of the cells where they are, and say where
`;

const { values, positionals } = readOptions();
const names = positionals.length > 0 ? positionals : Object.keys(CLIENTS);
const cells = values.only ? values.only.split(",").flatMap((one) => SETS[one] ?? one) : Object.keys(CELLS);
if (values.install) installClients(names);
const expected = JSON.parse(readFileSync(EXPECTED, "utf8"));
const base = realpathSync(mkdtempSync(join(tmpdir(), "znb-")));
if (values.keep) process.stderr.write(`${base}\n`);
else process.on("exit", () => removePlace(base));

const results = {};
let wrong = 0;
for (const client of names) {
  const found = findClient(client);
  results[client] = {};
  for (const name of cells) {
    const cell = CELLS[name];
    const impossible = cell.not === "all" ? cell.why : cell.not?.[client];
    const reason = impossible ?? found.missing;
    const result = reason
      ? { outcome: impossible ? "n/a" : `failed: ${reason}`, reason }
      : await runCell(cell, client, found, { base: join(base, `${client}-${name.replaceAll(" ", "-")}`), keep: values.keep });
    results[client][name] = judged(result, cell, expected[client]?.[name]);
    tell(client, name, results[client][name]);
  }
}
if (values.json) process.stdout.write(`${JSON.stringify(results, null, 1)}\n`);
else process.stdout.write(`\n${tableOf(results)}\n`);
if (values.pin) pin();
if (values.write) writePage(results);
process.exitCode = wrong > 0 && !values.pin ? 1 : 0;

/** A cell is as it should be, and as it was. */
function judged(result, cell, pinned) {
  if (result.outcome === "n/a") return { ...result, isGood: true, isSame: pinned === undefined || pinned === "n/a" };
  const isGood = result.outcome === cell.good;
  const isSame = pinned === undefined || pinned === result.outcome;
  return { ...result, isGood, isSame };
}

function tell(client, name, { outcome, isGood, isSame, ...details }) {
  const isPinned = expected[client]?.[name] !== undefined;
  if (!isSame || (!isPinned && !isGood)) wrong++;
  const word = isGood ? "ok     " : "NOT SO ";
  process.stderr.write(`${word}${isSame ? "" : "CHANGED "}${client} ${name}: ${outcome}\n`);
  if (!isGood || !isSame) process.stderr.write(`${JSON.stringify(details, null, 1)}\n`);
}

function pin() {
  for (const [client, found] of Object.entries(results))
    for (const [name, { outcome }] of Object.entries(found)) expected[client] = { ...expected[client], [name]: outcome };
  writeFileSync(EXPECTED, `${JSON.stringify(expected, null, 2)}\n`);
}

function readOptions() {
  const flag = { type: "boolean", default: false };
  const options = { only: { type: "string" }, install: flag, json: flag, pin: flag, write: flag, keep: flag, help: flag };
  const given = parseArgs({ options, allowPositionals: true });
  const strangers = [
    ...given.positionals.filter((one) => !Object.hasOwn(CLIENTS, one)),
    ...(given.values.only?.split(",") ?? []).filter((one) => !Object.hasOwn({ ...CELLS, ...SETS }, one)),
  ];
  if (!given.values.help && strangers.length === 0) return given;
  process.stderr.write(`${strangers.length > 0 ? `There is no ${strangers.join(", ")}.\n` : ""}${HELP}`);
  process.exit(strangers.length > 0 ? 2 : 0);
}
