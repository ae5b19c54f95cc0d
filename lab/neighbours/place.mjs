// A person of its own for each cell: a home, a workspace, a folder outside of it, and a copy of Zeph that may be damaged.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rgPath } from "@vscode/ripgrep";
import { CLIENTS, put } from "./clients.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The package as somebody has it installed; what a cell breaks in it is its own copy. */
export function copyPackage(at) {
  mkdirSync(join(at, "dist"), { recursive: true });
  for (const name of ["package.json", "bin", "vendor", "config.schema.json", "dist/cli"])
    cpSync(join(root, name), join(at, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(at, "node_modules"));
}

export function openPlace(base, { client, found, url, rules = "", mcp = null, clientRules = null, mode = "guard", more = {} }) {
  const place = Object.fromEntries(["home", "work", "tmp", "outside", "package"].map((name) => [name, join(base, name)]));
  for (const name of ["home", "work", "tmp", "outside"]) mkdirSync(place[name], { recursive: true });
  copyPackage(place.package);
  spawnSync("git", ["init", "-q"], { cwd: place.work });
  put(place.work, "README.md", "A folder that a test made.\n");
  put(place.home, ".config/zeph/config.toml", rules);
  CLIENTS[client].furnish({ ...place, url }, { mcp, rules: clientRules });
  // Some would fetch ripgrep where there is none.
  const path = [found.bin, dirname(process.execPath), dirname(rgPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  const plain = { PATH: path, HOME: place.home, TMPDIR: place.tmp, LANG: "C.UTF-8", TERM: "xterm-256color" };
  const env = { ...plain, ...CLIENTS[client].env(url), ...more };
  const zeph = (...words) =>
    spawnSync(process.execPath, [join(place.package, "bin/zeph.cjs"), ...words], {
      cwd: place.work,
      env,
      encoding: "utf8",
      timeout: 60_000,
    });
  return { ...place, client, env, zeph, mode, audit: () => auditOf(place.home), close: () => endAll(place.home) };
}

/** As a person would. Throws with what was said where that did not go well. */
export function installHooks(place, ...more) {
  const trust = place.client === "codex" ? ["--trust-codex-hooks"] : [];
  const { status, stdout, stderr } = place.zeph("hook", "install", place.client, "--mode", place.mode, "--yes", ...trust, ...more);
  if (status !== 0) throw new Error(`zeph hook install ended with ${status}: ${stderr.trim() || stdout.trim()}`);
  // It asks the program, which starts hookd: on a busy machine that takes longer than a first call waits.
  for (let tries = 0; place.mode !== "filter"; tries++) {
    const seen = place.zeph("hook", "status", place.client);
    if (seen.status === 0) return;
    if (tries === 3) throw new Error(`zeph hook status ended with ${seen.status}: ${seen.stdout.trim().split("\n").slice(0, 2).join(" ")}`);
  }
}

/** The lines of the audit log, the oldest first. */
function auditOf(home) {
  const folder = join(home, ".local/state/zeph");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^audit.*\.jsonl$/.test(name)) : [];
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"));
  const own = ({ session_id: session }) => !String(session).startsWith("zeph-hook-");
  return lines
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(own);
}

/** Runs a client to its end, or for so long at most. Whatever it started and did not take with it is ended by `endAll`. */
export function runAlone(argv, { env, work, log, limitMs }) {
  return new Promise((resolve) => {
    const begun = performance.now();
    const child = spawn(argv[0], argv.slice(1), {
      cwd: work,
      env: { ...env, CI: "1", NO_COLOR: "1", TERM: "dumb" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said = (said + chunk).slice(-8000);
      });
    const end = (how) => {
      clearTimeout(timer);
      kill(-child.pid);
      if (log) writeFileSync(log, said);
      resolve({ how, said, ms: performance.now() - begun });
    };
    const timer = setTimeout(() => end("it did not end in time"), limitMs);
    child.on("error", (error) => end(error.message));
    child.on("exit", (code) => setTimeout(() => end(code === 0 ? null : `it ended with ${code}`), 100));
  });
}

/** The processes that have this home: the client, what it left behind, hookd. */
export function processesOf(home) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => proc(pid, "environ").split("\0").includes(`HOME=${home}`))
    .map((pid) => ({ pid: Number(pid), words: proc(pid, "cmdline").split("\0").filter(Boolean) }));
}

export const hookdOf = (home) => processesOf(home).find(({ words }) => words.at(-1) === "hookd")?.pid ?? null;

function endAll(home) {
  for (const { pid } of processesOf(home)) kill(pid);
}

export function kill(pid, signal = "SIGKILL") {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function proc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

export const removePlace = (base) => rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
