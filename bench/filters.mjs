// `npm run bench:filters`: what the filter saves and keeps, and how fast it is. `--corpus DIR` judges recorded outputs (default: ../shared/corpus, when
// it is there; else our own golden cases), `--only REGEX` some of them, `--write` puts the table into docs/filters.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { filterOutput } from "../dist/lib/index.js";
import { goldenCases, withCorpus } from "./filters-corpus.mjs";
import { cappedSavings, gatedSavings, hasGrown, savings, score, sum } from "./filters-score.mjs";
import { INPUTS, speedOf } from "./filters-speed.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({ options: { corpus: { type: "string" }, only: { type: "string" }, write: { type: "boolean" } } });
const corpus = options.corpus === undefined ? join(root, "../shared/corpus") : resolve(options.corpus);
if (options.corpus !== undefined && !existsSync(corpus)) throw new Error(`${corpus} is not there`);
const judged = existsSync(corpus);

const rows = judged ? await withCorpus(corpus, judge) : judge(goldenCases(join(root, "test/golden/filters")));
const misses = [];
printCases();
printCategories();
printTotals();
printSpeed();
if (options.write) write();
process.exitCode = misses.length === 0 ? 0 : 1;

function judge(cases) {
  const wanted = cases.filter(({ name }) => options.only === undefined || new RegExp(options.only).test(name));
  return wanted.map((one) => {
    const raw = one.raw();
    const started = performance.now();
    const { text } = filterOutput({ command: one.command, raw, exitCode: one.exitCode });
    return score(one, raw, text, performance.now() - started);
  });
}

function printCases() {
  print(`${"case".padEnd(34)}${"raw".padStart(9)}${"filtered".padStart(9)}${"saved".padStart(8)}  lost      noise   detail     ms`);
  for (const row of rows) {
    const remarks = [
      row.leaks > 0 && `shows ${row.leaks} of ${row.secrets} secrets`,
      row.warned === false && "does not warn",
      row.changed && "changed what must stay exact",
      row.tooBig && "too big",
      hasGrown(row) && "grew",
      !row.whole && `LOST ${row.lost.slice(0, 4).join(" | ").slice(0, 200)}`,
    ].filter(Boolean);
    const lost = `${row.lost.length}/${row.facts}`.padEnd(8);
    const noise = `${row.noiseLeft}/${row.noise}`.padEnd(6);
    const detail = row.detail === null ? "-" : percent(row.detail);
    print(
      `${row.name.padEnd(34)}${String(row.before).padStart(9)}${String(row.after).padStart(9)}${percent(row.saved).padStart(8)}  ${lost}  ${noise}${detail.padStart(8)}${row.ms.toFixed(0).padStart(7)}  ${remarks.join("; ")}`.trimEnd(),
    );
  }
}

function categories() {
  const groups = grouped();
  return [...groups].map(([name, all]) => ({ name, all })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function grouped() {
  const groups = new Map();
  for (const row of rows) groups.set(row.category, [...(groups.get(row.category) ?? []), row]);
  return groups;
}

function printCategories() {
  print(`\n${"category".padEnd(24)}${"cases".padStart(6)}${"whole".padStart(7)}${"saved".padStart(8)}`);
  for (const { name, all } of categories())
    print(`${name.padEnd(24)}${String(all.length).padStart(6)}${String(whole(all)).padStart(7)}${percent(gatedSavings(all)).padStart(8)}`);
}

function printTotals() {
  const giants = rows.filter(({ isGiant }) => isGiant);
  print("");
  if (judged) {
    total("cases with all facts", `${whole(rows)} of ${rows.length}`, "97 %", whole(rows) / rows.length >= 0.97);
    total("facts lost", `${sum(rows.map(({ lost }) => lost.length))} of ${sum(rows.map(({ facts }) => facts))}`);
    total("saved, mean over cases, 0 where a fact is lost", percent(gatedSavings(rows)), "60 %", gatedSavings(rows) >= 0.6);
    total("saved, texts capped at 30,000 characters, by tokens", percent(cappedSavings(rows)));
  }
  total("saved, whatever was lost", percent(savings(rows)));
  total("cases that grew", rows.filter(hasGrown).length, "0", !rows.some(hasGrown));
  if (judged) {
    total("noise left", `${sum(rows.map(({ noiseLeft }) => noiseLeft))} of ${sum(rows.map(({ noise }) => noise))}`);
    const exact = rows.filter(({ changed }) => changed).length;
    total("exact texts changed", exact, "0", exact === 0);
    const leaks = sum(rows.map(({ leaks }) => leaks));
    total("secrets shown", `${leaks} of ${sum(rows.map(({ secrets }) => secrets))}`, "0", leaks === 0);
    const due = rows.filter(({ warned }) => warned !== null);
    const given = due.filter(({ warned }) => warned).length;
    total("warnings given", `${given} of ${due.length}`, "all", given === due.length);
  }
  if (giants.length > 0) {
    const slowest = Math.max(...giants.map(({ ms }) => ms));
    const largest = Math.max(...giants.map(({ after }) => after));
    total("the slowest giant", `${(slowest / 1000).toFixed(2)} s`, "2 s", slowest < 2000);
    total("the largest filtered giant", `${largest} tokens`, "8,000", largest <= 8000);
  }
}

function printSpeed() {
  for (const input of INPUTS) {
    const { megabytes, growth, ms } = speedOf(input, filterOutput);
    const { what, least = 12 } = input;
    total(`speed on ${what}`, `${megabytes.toFixed(1)} MB/s`, `${least} MB/s`, megabytes >= least);
    total(`  1.3 MB take`, `${ms.toFixed(0)} ms`, "150 ms", ms <= 150);
    total(`  twice as much takes`, `${growth.toFixed(2)} ×`, "2.5 ×", growth <= 2.5);
  }
}

/** Figures without a limit are there to be known. */
function total(what, figure, limit, holds = true) {
  const word = limit === undefined ? "    " : holds ? "ok  " : "MISS";
  if (!holds) misses.push(what);
  print(`${word} ${what}: ${figure}${limit === undefined ? "" : ` (limit ${limit})`}`);
}

function write() {
  const file = join(root, "docs/filters.md");
  const [before, , after] = readFileSync(file, "utf8").split(/(<!-- savings -->[\s\S]*<!-- \/savings -->)/);
  writeFileSync(file, `${before}<!-- savings -->\n\n${table()}\n<!-- /savings -->${after}`);
}

function table() {
  const line = (name, all) => `| ${name} | ${all.length} |${judged ? ` ${whole(all)} |` : ""} ${percent(gatedSavings(all))} |`;
  return [
    `| Output of | Cases |${judged ? " All facts kept |" : ""} Tokens saved |`,
    `|---|---|${judged ? "---|" : ""}---|`,
    ...categories().map(({ name, all }) => line(name, all)),
    line("**all**", rows),
    "",
  ].join("\n");
}

function whole(all) {
  return all.filter((row) => row.whole).length;
}

function percent(share) {
  return `${(100 * share).toFixed(1)}%`;
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
