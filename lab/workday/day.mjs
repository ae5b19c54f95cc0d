#!/usr/bin/env node
// `npm run lab:workday`: ordinary commands of a day behind the walls, with no setting, each in a fresh home. Not part of CI: it wants a JDK, Go and Rust.
//   day.mjs [--only regex] [--json] [--bare] [--boxes n] [--set key=value …] [--least percent]
import { spawnSync } from "node:child_process";
import { fill, openBox } from "../../test/stress/box/box.mjs";
import { TEMPLATE } from "../../test/stress/box/home.mjs";
import { openBareShell, openZephShell } from "../../test/stress/box/shells.mjs";
import { PROJECTS } from "./projects.mjs";
import { ROWS } from "./rows.mjs";

const argv = process.argv.slice(2);
const all = (name) => argv.flatMap((word, at) => (word === name ? [argv[at + 1]] : []));
const only = new RegExp(all("--only")[0] ?? "", "i");
const isJson = argv.includes("--json");
const open = argv.includes("--bare") ? openBareShell : openZephShell;
const SAYS_WHY = /perhaps a wall|sandbox|network is closed|not visible|the walls|domain|time limit|protected/i;

const queue = ROWS.filter(({ id, group }) => only.test(`${group}/${id}`));
const results = [];
/** Programs that were looked for. */
const known = new Map();
await Promise.all(Array.from({ length: Number(all("--boxes")[0] ?? 1) }, work));

const counts = (verdict) => results.filter((one) => one.verdict === verdict).length;
const tried = results.filter(({ verdict }) => verdict !== "skipped");
const good = counts("works") + counts("said");
const percent = tried.length === 0 ? 0 : (100 * good) / tried.length;
const summary = {
  rows: tried.length,
  good,
  percent: Number(percent.toFixed(1)),
  asked: results.filter(({ asked }) => asked).length,
  skipped: counts("skipped"),
};
if (isJson) console.log(JSON.stringify({ ...summary, results }, null, 1));
else {
  const groups = [...new Set(results.map(({ group }) => group))];
  for (const group of groups) {
    const mine = tried.filter((one) => one.group === group);
    console.log(
      `${group.padEnd(10)} ${String(mine.filter(({ verdict }) => verdict === "works" || verdict === "said").length).padStart(3)} of ${mine.length}`,
    );
  }
  console.log(
    `\n${good} of ${tried.length} rows are good (${summary.percent} %), ${summary.asked} asked${summary.skipped > 0 ? `, ${summary.skipped} skipped for want of programs` : ""}`,
  );
}
process.exitCode = percent < Number(all("--least")[0] ?? 95) ? 1 : 0;

async function work() {
  const box = await openBox({ template: `${TEMPLATE}\n${PROJECTS}` });
  try {
    for (let row = queue.shift(); row; row = queue.shift()) {
      const missing = (row.needs ?? []).filter((name) => !isThere(box, name));
      const result =
        missing.length > 0
          ? { verdict: "skipped", text: `there is no ${missing.join(", no ")}`, ms: 0, asked: false }
          : await tryRow(box, row);
      results.push({ group: row.group, id: row.id, ...result });
      if (!isJson) print(row, result);
    }
  } finally {
    box.close();
  }
}

function print({ group, id }, { verdict, ms, asked, text }) {
  const isGood = verdict === "works" || verdict === "said";
  console.log(
    `${`${group}: ${id}`.padEnd(42)} ${verdict.padEnd(16)} ${asked ? "asked" : "     "} ${String(ms).padStart(6)} ms${isGood ? "" : `\n    ${text.trim().slice(-500).replaceAll("\n", "\n    ")}`}`,
  );
}

function isThere(box, name) {
  if (!known.has(name)) {
    const [file, ...args] = box.becoming("dev");
    known.set(name, spawnSync(file, [...args, "sh", "-c", `command -v ${name}`], { cwd: "/" }).status === 0);
  }
  return known.get(name);
}

/** First with nobody to ask; what needs a yes is run again with one. */
async function tryRow(box, row) {
  const began = Date.now();
  const first = await runRow(box, row, "");
  const last = first.asked ? await runRow(box, row, "--yes") : first;
  const fits = new RegExp(row.out, row.group === "said" ? "i" : "m").test(last.text);
  const ms = Date.now() - began;
  if (row.group === "said") return { verdict: fits && !last.ok ? "said" : "silent", ms, asked: first.asked, text: last.text };
  const works = last.ok && fits;
  return {
    verdict: works ? "works" : SAYS_WHY.test(last.text) ? "fails, says why" : "fails silently",
    ms,
    asked: first.asked,
    text: last.text,
  };
}

async function runRow(box, row, answers) {
  box.reset();
  const shell = open(box, { cwd: `${box.places.home}/src/${row.cwd}`, answers, set: all("--set"), seconds: row.seconds });
  let last = { text: "", ok: false };
  let asked = false;
  for (const step of row.steps ?? [{ cmd: row.cmd }]) {
    last = await shell.step({ ...step, cmd: fill(step.cmd, box.places) });
    asked ||= last.asked === true;
  }
  await shell.close();
  return { ...last, asked, ok: last.ok };
}
