// What was found, as a table for a terminal and for docs/neighbours-tested.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CELLS } from "./cells.mjs";
import { VERSIONS } from "./clients.mjs";

const PAGE = join(import.meta.dirname, "../../docs/neighbours-tested.md");
const BEGIN = "<!-- table -->";
const END = "<!-- end of table -->";

export function tableOf(results) {
  const clients = Object.keys(results);
  const line = (name) => clients.map((client) => `  ${client}: ${results[client][name].outcome}`).join("\n");
  return Object.keys(results[clients[0]] ?? {})
    .map((name) => `${name}\n${line(name)}`)
    .join("\n");
}

/** Puts the table between its marks. */
export function writePage(results) {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n${markdownOf(results)}\n${END}${rest.split(END)[1]}`);
}

function markdownOf(results) {
  const clients = Object.keys(results);
  const head = `| What is tried | ${clients.map((client) => `${client} ${VERSIONS[client].version}`).join(" | ")} |`;
  const cell = ({ outcome, reason }) => (outcome === "n/a" ? `not possible: ${reason}` : outcome);
  const rows = Object.keys(results[clients[0]]).map(
    (name) => `| ${CELLS[name].about} | ${clients.map((client) => cell(results[client][name])).join(" | ")} |`,
  );
  return [head, `|${"---|".repeat(clients.length + 1)}`, ...rows].join("\n");
}
