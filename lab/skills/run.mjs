// Loads every skill of the folders that are named, and starts each of their scripts behind the walls: npm run lab:skills -- <folder>…
// A folder is a collection as it was cloned. It is copied into a home that is thrown away; nothing of it is kept.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

const ZEPH = resolve(import.meta.dirname, "../../bin/zeph.cjs");
const SECONDS = 10;
const SKIPPED = new Set([".git", "node_modules", "__pycache__"]);

/** By the end of a name: what starts it. What has no end is asked for its first line. */
const INTERPRETERS = { py: "python3", js: "node", mjs: "node", cjs: "node", sh: "bash" };
const FIRST_LINES = [
  [/^#!.*\bpython3?\b/, "python3"],
  [/^#!.*\bnode\b/, "node"],
  [/^#!.*\b(?:ba)?sh\b/, "bash"],
];

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error("Say which collections: npm run lab:skills -- <folder>…");
  process.exit(2);
}
const reports = folders.map((folder) => tryCollection(resolve(folder)));
printTable(reports);
process.exit(reports.every(({ found, loaded, scripts, started }) => loaded === found && started === scripts) ? 0 : 1);

function tryCollection(collection) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-collection-")));
  try {
    const home = join(root, "home");
    const work = join(root, "work");
    mkdirSync(join(home, ".claude/skills"), { recursive: true });
    mkdirSync(work);
    const names = copySkills(collection, join(home, ".claude/skills"));
    const zeph = zephIn({ home, work });
    const { skills, left_out } = JSON.parse(zeph(["skills", "--json"]).stdout);
    for (const { folder, why } of left_out) console.log(`${basename(collection)}: ${basename(folder)} does not load: ${why}`);
    for (const { name, notes } of skills) for (const note of notes) console.log(`${basename(collection)}: ${name}: ${note}`);
    const scripts = names.flatMap((name) => scriptsOf(join(home, ".claude/skills", name), `~/.claude/skills/${name}`));
    const ends = startAll(scripts, zeph);
    for (const { path, end, said } of ends) if (end === "not started") console.log(`${path} did not start: ${said}`);
    const count = (end) => ends.filter((one) => one.end === end).length;
    return {
      collection: basename(collection),
      found: names.length,
      loaded: skills.length,
      noted: skills.filter(({ notes }) => notes.length > 0).length,
      scripts: scripts.length,
      started: ends.length - count("not started"),
      ended: count("ended"),
      lacking: count("lacks a library"),
      running: count("still running"),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Folders with a SKILL.md, wherever they lie; a second one of a name gets a number. */
function copySkills(collection, to) {
  const names = [];
  const look = (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (entries.some(({ name }) => name === "SKILL.md") && folder !== collection) {
      const same = names.filter((one) => one.replace(/-\d+$/, "") === basename(folder)).length;
      const name = same === 0 ? basename(folder) : `${basename(folder)}-${same + 1}`;
      cpSync(folder, join(to, name), { recursive: true, verbatimSymlinks: true, filter: (path) => !SKIPPED.has(basename(path)) });
      names.push(name);
      return;
    }
    for (const entry of entries) if (entry.isDirectory() && !SKIPPED.has(entry.name)) look(join(folder, entry.name));
  };
  look(collection);
  return names;
}

function scriptsOf(folder, shown) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .flatMap((file) => {
      const end = /\.([a-z]+)$/.exec(file)?.[1];
      const program = end === undefined ? firstLineProgram(file) : INTERPRETERS[end];
      return program === undefined ? [] : [{ program, path: shown + file.slice(folder.length) }];
    });
}

function firstLineProgram(file) {
  return FIRST_LINES.find(([line]) => line.test(readFileSync(file, "latin1").slice(0, 200)))?.[1];
}

/** One process for all, each by the name that begins with `~`, as a SKILL.md would have it. */
function startAll(scripts, zeph) {
  const calls = scripts.map(({ program, path }, id) => ({
    id,
    tool: "bash",
    args: { command: `timeout ${SECONDS} ${program} ${path} --help < /dev/null; echo "[ended $?]"` },
  }));
  const { stdout } = zeph(["call", "--batch"], calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
  const answers = new Map(
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .map((answer) => [answer.id, answer]),
  );
  return scripts.map(({ path }, id) => {
    const { ok, text = "", error } = answers.get(id) ?? { ok: false };
    return { path, end: ok ? endOf(text, path) : "not started", said: ok ? text.slice(-300) : (error?.message ?? "no answer") };
  });
}

/** An interpreter that cannot open its file says so, each in its own words; 126 and 127 are those of a shell. */
function endOf(text, path) {
  const code = Number(/\[ended (\d+)\]/.exec(text)?.[1] ?? 127);
  const name = basename(path);
  const unopened = text
    .split("\n")
    .some(
      (line) =>
        line.includes(name) &&
        /can't open file|Cannot find module .*|No such file|Permission denied/.test(line) &&
        line.includes(path.slice(2)),
    );
  if (code === 126 || code === 127 || unopened) return "not started";
  if (code === 124) return "still running";
  return /ModuleNotFoundError|ImportError|Cannot find (?:module|package)|command not found/.test(text) ? "lacks a library" : "ended";
}

function zephIn({ home, work }) {
  const env = { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: home, LANG: "C.UTF-8" };
  return (args, input = "") => {
    const ended = spawnSync(process.execPath, [ZEPH, ...args], { cwd: work, env, input, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
    if (ended.error) throw ended.error;
    return ended;
  };
}

function printTable(reports) {
  const heads = ["collection", "skills", "load", "with a note", "scripts", "start", "ran to an end", "lack a library", "still ran"];
  const rows = reports.map((one) => Object.values(one));
  console.log(`| ${heads.join(" | ")} |\n|${heads.map((_, n) => (n === 0 ? "---" : "--:")).join("|")}|`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}
