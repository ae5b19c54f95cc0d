// A client as a process: what it and all it has started hold and use, and how they are ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const TICK_MS = 10;
const SAMPLE_MS = 50;
const LAST_WORDS_MS = 200;
const running = new Set();

/** Starts a client and waits for its end; null when it ended well, else the reason. `measured` gets the most memory of the whole tree. */
export async function runClient(argv, { cwd, env, limitMs }, measured) {
  measured.startedAt = performance.now();
  const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  measured.pid = child.pid;
  if (child.pid !== undefined) running.add(child.pid);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said = (said + chunk).slice(-2000);
    });
  const sampling = setInterval(() => sampleMemory(measured), SAMPLE_MS);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    endTree(child.pid);
  }, limitMs);
  const failed = new Promise((resolve) => child.once("error", (error) => resolve([error.message])));
  const [code] = await Promise.race([once(child, "exit"), failed]);
  clearInterval(sampling);
  clearTimeout(late);
  running.delete(child.pid);
  // What it left behind would slow the next one.
  if (child.pid !== undefined) end(-child.pid);
  await Promise.race([once(child, "close"), sleep(LAST_WORDS_MS)]);
  if (isLate) return `it did not end within ${limitMs / 1000} s`;
  return code === 0 ? null : `it ended with ${code}: ${lastLine(said)}`;
}

export function endClients() {
  for (const pid of running) endTree(pid);
}

/** Its group, and those below it that have left the group. */
function endTree(pid) {
  for (const one of [...treeOf(pid), -pid]) end(one);
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

const lastLine = (text) => text.trim().split("\n").at(-1)?.slice(0, 200) ?? "";

export function sampleMemory(measured) {
  const sum = treeOf(measured.pid).reduce((all, pid) => all + (Number(/VmRSS:\s+(\d+)/.exec(proc(pid, "status"))?.[1]) || 0), 0);
  measured.peakMb = Math.max(measured.peakMb ?? 0, sum / 1024);
}

/** Milliseconds of all cores that the tree has used, those of its children that have ended included. */
export function cpuOf(pid) {
  const ticks = (one) => {
    const fields = proc(one, "stat").split(") ")[1]?.split(" ") ?? [];
    return fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
  };
  return treeOf(pid).reduce((sum, one) => sum + ticks(one), 0) * TICK_MS;
}

function treeOf(pid) {
  const tree = [pid];
  for (const one of tree)
    for (const thread of threadsOf(one)) tree.push(...proc(one, `task/${thread}/children`).trim().split(" ").filter(Boolean).map(Number));
  return tree;
}

/** Any thread may have started a process; it is listed with that one only. */
function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function proc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
