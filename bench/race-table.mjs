// The table of the race, and its place in docs/performance.md.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.mjs";
import { isShell, KINDS } from "./race-calls.mjs";
import { BARE, RIVALS, WAYS } from "./race-clients.mjs";

/** `rows` by the name of the client: `out` says why it did not run, else figures of each round, of the first request and of the task. */
export function createTable(rows, { rounds, calls, taskCalls }) {
  const columns = [
    "Client",
    ...[...KINDS, "CPU a call", "first request after", "memory"],
    ...["first request", "its tokens", `tokens after ${taskCalls} calls`],
  ];
  const bare = rows.get(BARE);
  const lines = [...rows].map(([name, row]) => {
    const cells = row.out ? [titleOf(name), `did not run: ${row.out}`] : cellsOf(name, row, bare);
    return line([...cells, ...Array(columns.length - cells.length).fill("")]);
  });
  return `
Measured ${new Date().toISOString().slice(0, 10)}. Machine: ${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}; ${runtimesOf(rows)}. ${rounds} interleaved round${rounds === 1 ? "" : "s"} of ${calls} calls of each kind; medians.

${line(columns)}
|${"---|".repeat(columns.length)}
${lines.join("\n")}

Gap between an answer and the next request, in brackets against the bare loop in the same round. CPU is that of all processes of the client, for read / grep / bash. Memory is the most that all processes of the client held together during the read calls, pages they share counted for each. Tokens are counted with o200k over the request as it was sent. ${[...shellsOf(rows), ...besidesOf(rows)].join(" ")}
${missesOf(rows)}
`;
}

export function writeTable(text) {
  const file = join(fileURLToPath(new URL("..", import.meta.url)), "docs/performance.md");
  const page = readFileSync(file, "utf8");
  writeFileSync(
    file,
    page.replace(/(<!-- bench:race -->\n)[\s\S]*?(<!-- \/bench:race -->)/, (_, begins, ends) => begins + text + ends),
  );
}

const line = (cells) => `| ${cells.join(" | ")} |`;
const titleOf = (name) => (WAYS[name].rival ? `${WAYS[name].rival} ${RIVALS[WAYS[name].rival].version}` : name);
const NOTHING = "–";

function cellsOf(name, { rounds, request, task }, bare) {
  const all = (kind, figure) => rounds.map((round) => round[kind]?.[figure]).filter((value) => value != null);
  const figure = (values, unit, digits) => (values.length === 0 ? NOTHING : `${median(values).toFixed(digits)} ${unit}`);
  const gap = (kind) => {
    const ratios = rounds.map((round, n) => round[kind]?.gap / bare.rounds[n]?.[kind]?.gap).filter((value) => value > 0);
    return `${figure(all(kind, "gap"), "ms", 1)}${ratios.length === 0 ? "" : ` (${median(ratios).toFixed(1)} ×)`}`;
  };
  const starts = KINDS.flatMap((kind) => all(kind, "first"));
  return [
    titleOf(name),
    ...KINDS.map(gap),
    `${KINDS.map((kind) => figure(all(kind, "cpu"), "", 0).trim()).join(" / ")} ms`,
    figure(starts, "ms", 0),
    figure(all("read", "memory"), "MB", 0),
    request ? `${(request.bytes / 1000).toFixed(1)} kB` : NOTHING,
    request?.tokens.toLocaleString("en") ?? NOTHING,
    task?.tokens.toLocaleString("en") ?? NOTHING,
  ];
}

function runtimesOf(rows) {
  const known = [...rows].filter(([name, { runs }]) => WAYS[name].rival && runs);
  return known.map(([name, { runs }]) => `${name} ${runs}`).join(", ") || "no others";
}

function shellsOf(rows) {
  const found = [...rows].flatMap(([name, { rounds }]) => {
    const kinds = ["read", "grep"].filter((kind) => rounds.some((round) => isShell(round[kind]?.tool)));
    return kinds.length === 0 ? [] : [`${name} for ${kinds.join(" and ")}`];
  });
  return found.length === 0 ? [] : [`Where a client offers no tool for it, its shell was used (${found.join("; ")}).`];
}

function besidesOf(rows) {
  const found = [...rows].flatMap(([name, { task }]) => (task?.beside > 0 ? [`${name} ${task.beside}`] : []));
  return found.length === 0
    ? []
    : [`Requests beside the conversation (titles, choice of a model) in the task, not counted: ${found.join(", ")}.`];
}

function missesOf(rows) {
  const misses = [...rows].flatMap(([name, row]) => [...row.misses].map((one) => `${name}, ${one}`));
  return misses.length === 0 ? "" : `\nMisses: ${misses.join("; ")}.\n`;
}
