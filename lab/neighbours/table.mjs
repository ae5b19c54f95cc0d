// What was found, as a table for a terminal and for docs/neighbours-tested.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CELLS, SETS } from "./cells.mjs";
import { VERSIONS } from "./clients.mjs";

const PAGE = join(import.meta.dirname, "../../docs/neighbours-tested.md");
/** Each table stands between its marks: Zeph as a hook, and Zeph as a server. */
const TABLES = {
  table: (name) => !SETS.snippets.includes(name),
  snippets: (name) => SETS.snippets.includes(name),
};

export function tableOf(results) {
  const clients = Object.keys(results);
  const line = (name) => clients.map((client) => `  ${client}: ${results[client][name].outcome}`).join("\n");
  return Object.keys(results[clients[0]] ?? {})
    .map((name) => `${name}\n${line(name)}`)
    .join("\n");
}

/** Puts the tables between their marks. One of which no cell was run stays as it is. */
export function writePage(results) {
  for (const [mark, isIn] of Object.entries(TABLES)) {
    const names = Object.keys(Object.values(results)[0]).filter(isIn);
    if (names.length === 0) continue;
    const page = readFileSync(PAGE, "utf8");
    const [begin, end] = [`<!-- ${mark} -->`, `<!-- end of ${mark} -->`];
    const [before, rest] = page.split(begin);
    writeFileSync(PAGE, `${before}${begin}\n${markdownOf(results, names)}\n${end}${rest.split(end)[1]}`);
  }
}

function markdownOf(results, names) {
  const clients = Object.keys(results);
  const head = `| What is tried | ${clients.map((client) => `${client} ${VERSIONS[client].version}`).join(" | ")} |`;
  const cell = ({ outcome, reason }) => (outcome === "n/a" ? `not possible: ${reason}` : outcome);
  const rows = names.map((name) => `| ${CELLS[name].about} | ${clients.map((client) => cell(results[client][name])).join(" | ")} |`);
  return [head, `|${"---|".repeat(clients.length + 1)}`, ...rows].join("\n");
}
