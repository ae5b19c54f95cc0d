// `npm run bench`: every number the documentation states, measured now. `--write` puts the table into docs/performance.md.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rgPath } from "@vscode/ripgrep";
import { createRuntime } from "../dist/lib/index.js";
import { longestBlock, median, timed, versus } from "./measure.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-bench-")));
const work = join(base, "work");
const env = { ...process.env, HOME: base, XDG_STATE_HOME: join(base, "state"), XDG_CONFIG_HOME: join(base, "config") };
const zephBin = join(root, "bin/zeph.cjs");
const rows = [];
const row = (what, figure, limit, holds) => {
  rows.push({ what, figure, limit, holds });
  process.stderr.write(`${holds ? "ok  " : "MISS"} ${what}: ${figure} (limit ${limit})\n`);
};

mkdirSync(work, { recursive: true });
try {
  await reads();
  await searches();
  await commands();
  await judging();
  await starts();
  await consoleMemory();
} finally {
  rmSync(base, { recursive: true, force: true });
}
const table = report();
process.stdout.write(table);
if (process.argv.includes("--write")) write(table);
process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;

async function reads() {
  const file = join(work, "ten.txt");
  writeFileSync(file, "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklm\n".repeat(205));
  const zeph = await createRuntime({
    cwd: work,
    config: { store: { path: join(base, "b.db") }, audit: { path: join(base, "audit.jsonl") } },
  });
  const ours = () => zeph.call("read", { path: "ten.txt" });
  const bare = () => readFile(file);
  await versus(ours, bare, 500);
  const one = await versus(ours, bare, 3000);
  row(
    "read of 10 kB through the whole pipeline, p50 against fs.promises.readFile",
    ratio(one.ours, one.yardstick),
    "2.5 ×",
    one.ours / one.yardstick <= 2.5,
  );

  const parallel = (call) => () => Promise.all(Array.from({ length: 1000 }, call));
  const many = await versus(parallel(ours), parallel(bare), 15);
  const rate = many.yardstick / many.ours;
  row("1,000 parallel reads, calls per second against bare readFile", `${rate.toFixed(2)} ×`, "at least 0.4 ×", rate >= 0.4);

  const files = Array.from({ length: 1000 }, (_, n) => `many/file-${n}.txt`);
  mkdirSync(join(work, "many"));
  for (const [n, one] of files.entries()) writeFileSync(join(work, one), `this is ${n}\n`.repeat(20));
  let round = 0;
  const different = () => Promise.all(files.map((path) => zeph.call("read", { path, limit: 100 + round })));
  const seconds = [];
  for (; round < 20; round++) seconds.push((await timed(different)) / 1000);
  const perSecond = 1000 / median(seconds.slice(5));
  row(
    "reads of 1,000 different files at once, gates and audit on, calls per second",
    Math.round(perSecond).toLocaleString("en"),
    "at least 4,000",
    perSecond >= 4000,
  );
  await zeph.close();
}

async function searches() {
  const tree = join(work, "tree");
  let files = 0;
  for (let a = 0; a < 50; a++)
    for (let b = 0; b < 20; b++) {
      const folder = join(tree, `a${a}`, `b${b}`);
      mkdirSync(folder, { recursive: true });
      for (let c = 0; c < 52; c++, files++)
        writeFileSync(
          join(folder, `file-${c}.${c % 4 ? "ts" : "md"}`),
          `export const value${c} = ${files};\n// a line of text that nobody looks for\n${c === 7 ? `needle ${files % 90}` : ""}\n`,
        );
    }
  const zeph = await createRuntime({
    cwd: work,
    config: { store: { path: join(base, "s.db") }, audit: { path: join(base, "audit.jsonl") } },
  });
  const grepArgs = [
    "--no-config",
    "--color=never",
    "--line-number",
    "--no-heading",
    "--null",
    "--max-columns=500",
    "--max-columns-preview",
    "--case-sensitive",
    "--regexp=needle 8\\d$",
    "--with-filename",
    "--hidden",
    "--glob=!.git/",
    ".",
  ];
  const findArgs = ["--no-config", "--color=never", "--files", "--null", "--hidden", "--glob=file-7.ts", "--glob=!.git/", "."];
  const rg = (args) => async () => {
    const child = spawn(rgPath, args, { cwd: tree, stdio: ["ignore", "pipe", "ignore"], env: {} });
    child.stdout.resume();
    await once(child, "close");
  };
  const grep = () => zeph.call("grep", { pattern: "needle 8\\d$", path: "tree", limit: 5000 });
  const find = () => zeph.call("find_path", { path: "tree", pattern: "file-7.ts" });
  for (const [name, ours, args] of [
    ["grep", grep, grepArgs],
    ["find_path", find, findArgs],
  ]) {
    await versus(ours, rg(args), 2);
    const value = await versus(ours, rg(args), 15);
    const { worst } = await longestBlock(async () => {
      for (let i = 0; i < 5; i++) await ours();
    });
    row(
      `${name} over ${files.toLocaleString("en")} files against the same rg command`,
      ratio(value.ours, value.yardstick),
      "1.2 ×",
      value.ours / value.yardstick <= 1.2,
    );
    row(`${name}: longest the event loop stood still`, `${worst.toFixed(0)} ms`, "50 ms", worst <= 50);
  }
  await zeph.close();
  rmSync(tree, { recursive: true, force: true });
}

async function commands() {
  const zeph = await createRuntime({
    cwd: work,
    config: { store: { path: join(base, "c.db") }, audit: { path: join(base, "audit.jsonl") } },
  });
  const first = await zeph.call("bash", { command: "true" });
  if (!first.ok || first.output.walls.backend === "none") {
    process.stderr.write(`skipped: commands, because no sandbox works here\n`);
    return zeph.close();
  }
  const bare = async () => {
    const child = spawn("bash", ["-c", "true"], { cwd: work, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    await once(child, "close");
  };
  const walled = () => zeph.call("bash", { command: "true" });
  await versus(walled, bare, 10);
  const cost = await versus(walled, bare, 100);
  row(
    "sandboxed `true` through the whole pipeline against bash -c true, median of 100",
    ratio(cost.ours, cost.yardstick),
    "6.5 ×",
    cost.ours / cost.yardstick <= 6.5,
  );

  global.gc?.();
  const before = process.memoryUsage().rss;
  const flood = await zeph.call("bash", { command: "head -c 1073741824 /dev/zero | tr '\\0' x" });
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  row(
    "memory after a command printed 1 GB",
    `${grown.toFixed(0)} MB more`,
    "100 MB",
    grown < 100 && flood.ok && flood.output.truncated === true,
  );
  await zeph.close();
}

/** Understanding and judging a command, without running it. */
async function judging() {
  const zeph = await createRuntime({
    cwd: work,
    config: { store: { path: join(base, "j.db") }, audit: { path: join(base, "audit.jsonl") } },
  });
  const ordinary = [
    "git status",
    "npm test -- --run",
    "ls -la src | head -20",
    "grep -rn 'TODO' src",
    "cd src && make -j4",
    "cat a.txt | sort | uniq -c",
    'for f in *.ts; do wc -l "$f"; done',
    "docker ps -a",
    "python3 -m pytest -q",
    "find . -name '*.ts' -exec grep -l x {} +",
  ];
  const judge = (command) => zeph.judge("bash", { command });
  for (const command of ordinary) await judge(command);
  const times = [];
  for (let i = 0; i < 4000; i++) {
    // A number of its own each time: the parser remembers texts it has seen.
    const command = `${ordinary[i % ordinary.length]} # ${i}`;
    times.push(await timed(() => judge(command)));
  }
  const middle = median(times) * 1000;
  row("parse and judge an ordinary command, p50", `${middle.toFixed(0)} µs`, "100 µs", middle <= 100);

  const hostile = [
    "$(".repeat(30_000),
    "{a,b}".repeat(12_000),
    "a;".repeat(30_000),
    "'\"".repeat(30_000),
    "a=$a$a;".repeat(9000),
    "sh -c '".repeat(8000),
    "<<E\n".repeat(16_000),
    "((".repeat(30_000),
    "x".repeat(70_000),
  ];
  let worst = 0;
  for (const command of hostile) worst = Math.max(worst, await timed(() => judge(command)));
  row("judge the most hostile input of ours, longest", `${worst.toFixed(0)} ms`, "100 ms", worst <= 100);
  await zeph.close();
}

async function starts() {
  const node = (args) => () => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: work, env, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  const call = node([zephBin, "call", "read", '{"path":"ten.txt"}']);
  call();
  const times = { bare: [], version: [], call: [] };
  for (let i = 0; i < 25; i++) {
    times.bare.push(await timed(node(["-e", "0"])));
    times.version.push(await timed(node([zephBin, "--version"])));
    times.call.push(await timed(call));
  }
  const bare = median(times.bare);
  row("zeph --version against node -e 0", ratio(median(times.version), bare), "1.3 ×", median(times.version) / bare <= 1.3);
  row("zeph call read against node -e 0", ratio(median(times.call), bare), "5 ×", median(times.call) / bare <= 5);
}

/** The console after a few calls, fed through a pipe that stays open. */
async function consoleMemory() {
  const child = spawn(process.execPath, [zephBin], { cwd: work, env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write("read path=ten.txt\ngrep pattern=abc\nlist_directory .\n/tools\n");
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;
  child.stdin.end();
  child.stdout.resume();
  await once(child, "close");
  row("memory of the console after four commands", `${rss.toFixed(0)} MB`, "90 MB", rss <= 90);
}

function ratio(ours, yardstick) {
  return `${(ours / yardstick).toFixed(2)} × (${ours.toFixed(2)} ms against ${yardstick.toFixed(2)} ms)`;
}

function report() {
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release().split("-")[0]}, Node ${process.versions.node}`;
  const lines = rows.map(({ what, figure, limit, holds }) => `| ${what} | ${figure} | ${limit} | ${holds ? "yes" : "no"} |`);
  return `Machine: ${machine}.\n\n| What | Measured | Limit | Holds |\n|---|---|---|---|\n${lines.join("\n")}\n`;
}

function write(table) {
  const file = join(root, "docs/performance.md");
  const [before, , after] = readFileSync(file, "utf8").split(/(<!-- bench -->[\s\S]*<!-- \/bench -->)/);
  writeFileSync(file, `${before}<!-- bench -->\n\n${table}\n<!-- /bench -->${after}`);
}
