import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, parse } from "node:path";
import { attempt } from "../text/attempt.ts";
import { isAlive } from "./process.ts";

/**
 * Whether a process was started by an agent, with walls around it or without: what a model may do is decided by a person.
 * An agent that runs a command has its audit log open, so each process above is asked for its open files. A process whose parents are gone
 * belongs to the watchdog of its command, and that to the agent. It is Linux that tells all this; elsewhere nobody is below an agent.
 * `knownPerson` is a process that a person started and that is no agent, though it may have the log open to read it: above it nothing is asked.
 */
export function isBelowAgent(pid: number, log: string, { knownPerson }: { readonly knownPerson?: number } = {}): boolean {
  if (process.platform !== "linux") return false;
  for (const above of processesFrom(parentProcess(pid))) {
    if (above === knownPerson) return false;
    if (isAgentProcess(above, log)) return true;
  }
  return false;
}

/** Whether an agent with this log runs as that process. Where the system does not tell, any process counts. */
export function isAgentProcess(pid: number, log: string): boolean {
  if (process.platform !== "linux") return isAlive(pid);
  const folder = attempt(() => realpathSync(dirname(log)), null);
  return folder !== null && openFiles(pid).some((path) => isLog(path, join(folder, basename(log))));
}

/** The words of every process above this one, the nearest first; none where the system does not tell. */
export const commandLinesAbove = (pid: number): readonly (readonly string[])[] => processesAbove(pid).map(commandLineOf);

/** The words of one process. */
export const commandLineOf = (pid: number): readonly string[] =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "").split("\0");

/** The file that a process runs; null where the system does not tell. */
export const executableOf = (pid: number): string | null => attempt(() => readlinkSync(`/proc/${pid}/exe`), null);

/** Seconds since the machine started, by the clock that processes are told apart by (`processKey`). */
export const uptime = (): number => Number(attempt(() => readFileSync("/proc/uptime", "latin1"), "").split(" ")[0]);

/** The variables that a process was started with; null where the system does not tell. */
export function variablesOf(pid: number): Readonly<Record<string, string>> | null {
  const text = attempt((): string | null => readFileSync(`/proc/${pid}/environ`, "utf8"), null);
  if (text === null) return null;
  return Object.fromEntries(text.split("\0").flatMap((line) => (line.indexOf("=") > 0 ? [splitOnce(line)] : [])));
}

/** The processes that were started with this home folder, apart from this one; none where the system does not tell. */
export const processesOfHome = (home: string): readonly number[] =>
  attempt(() => readdirSync("/proc"), [])
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && variablesOf(pid)?.HOME === home);

const splitOnce = (line: string): [string, string] => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)];

/** The processes above this one, the nearest first. Empty where the system does not tell. */
export const processesAbove = (pid: number): number[] => [...processesFrom(parentProcess(pid))];

/** The two ends of a connection, as the one here sees them. */
export interface ConnectionPorts {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Whether a process that an agent started holds the other end of this connection. One of this machine that has left already may have been. */
export const isPeerBelowAgent = (ends: ConnectionPorts, log: string): boolean =>
  placePeer(ends, (pid) => isBelowAgent(pid, log)) === "below an agent";

/** The same, also for what the process of this number has started, itself or through others. */
export const isPeerBelow = (ends: ConnectionPorts, above: { readonly log: string; readonly process: number }): boolean =>
  placePeer(ends, (pid) => isBelowAgent(pid, above.log) || processesAbove(pid).includes(above.process)) === "below an agent";

/** The same for a server that a person started: what it starts itself, such as a browser, is that person's. */
export const placePeerOfPerson = (ends: ConnectionPorts, log: string): PeerPlace =>
  placePeer(ends, (pid) => isBelowAgent(pid, log, { knownPerson: process.pid }));

/** `unseen`: no process shows that it holds the other end. It has ended, or hides what it has open. */
export type PeerPlace = "below an agent" | "elsewhere" | "unseen";

function placePeer({ localPort, remotePort, remoteAddress }: ConnectionPorts, isRefused: (pid: number) => boolean): PeerPlace {
  const names = new Set(TABLES.flatMap((table) => socketsIn(table, { localPort: remotePort, remotePort: localPort })));
  names.delete("socket:[0]");
  if (names.size === 0)
    return process.platform === "linux" && /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress ?? "") ? "below an agent" : "elsewhere";
  const hidden: number[] = [];
  let isSeen = false;
  for (const name of attempt(() => readdirSync("/proc"), [])) {
    if (!/^\d+$/.test(name)) continue;
    const files = listOpenFiles(Number(name));
    if (files === null) hidden.push(Number(name));
    else if (files.some((path) => names.has(path))) {
      if (isRefused(Number(name))) return "below an agent";
      isSeen = true;
    }
  }
  if (isSeen) return "elsewhere";
  // A process may hide its open files from others of its user, and not who started it.
  return hidden.some(isRefused) ? "below an agent" : "unseen";
}

/** The log itself, or one beside it: several agents at once write `audit.jsonl` and `audit.<pid>.jsonl`. */
function isLog(path: string, log: string): boolean {
  const { dir, name, ext } = parse(log);
  const found = parse(path);
  return found.dir === dir && found.ext === ext && (found.name === name || found.name.startsWith(`${name}.`));
}

const INIT = 1;

/** From this one up; the first process of the system is nobody's command. */
function* processesFrom(pid: number): Generator<number> {
  for (let at = pid; at > INIT; at = parentProcess(at)) yield at;
}

export const parentProcess = (pid: number): number => Number(statWord(pid, 1) ?? 0) || 0;

/** When a process was started, in ticks since the machine was; null where the system does not tell. With the pid it names one process for good. */
export const startTimeOf = (pid: number): string | null => statWord(pid, 19);

/** Whether the first process is certainly older than the second one, so that the second cannot have started it. */
export function startedBefore(pid: number, other: number): boolean {
  const [first, second] = [startTimeOf(pid), startTimeOf(other)];
  return first !== null && second !== null && BigInt(first) < BigInt(second);
}

/** Whether a process runs in a group that was made for the command of an agent, as root has one, or in a PID namespace below this one. */
export function isInsideCommand(pid: number): boolean {
  if (process.platform !== "linux") return false;
  const [here, there] = ["self", pid].map((name) => attempt(() => readFileSync(`/proc/${name}/cgroup`, "utf8"), "").split("\n"));
  if (there!.some((group) => /\/zeph-\d+-\d+(?:\/|$)/.test(group) && !here!.includes(group))) return true;
  const [own, its] = ["self", pid].map((name) => attempt((): string | null => readlinkSync(`/proc/${name}/ns/pid`), null));
  return own !== null && its !== null && own !== its;
}

/** A word of the line about a process, counted from behind its name: that is in brackets and may hold anything. */
function statWord(pid: number, place: number): string | null {
  const line = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");
  return line.slice(line.lastIndexOf(")") + 2).split(" ")[place] ?? null;
}

/** A process that is told from a later one with the same number, by the time it started. Null where the system does not tell it. */
export function processKey(pid: number): string | null {
  const started = startTimeOf(pid);
  return started === null ? null : `${pid} ${started}`;
}

/** The keys of the processes above one, the nearest first; none where it is not the process of this key any more. */
export function processKeysAbove({ pid, key }: { readonly pid: number; readonly key: string }): readonly string[] {
  const above = processesAbove(pid).map(processKey);
  return processKey(pid) === key ? above.filter((one) => one !== null) : [];
}

const openFiles = (pid: number): readonly string[] => listOpenFiles(pid) ?? [];

/** Null where the system does not tell. */
const listOpenFiles = (pid: number): readonly string[] | null =>
  attempt((): readonly string[] | null => readdirSync(`/proc/${pid}/fd`), null)?.map((fd) =>
    attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ""),
  ) ?? null;

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** The sockets of a table between these ports, as open files name them. */
function socketsIn(table: string, { localPort, remotePort }: ConnectionPorts): string[] {
  const [, ...lines] = attempt(() => readFileSync(table, "latin1"), "").split("\n");
  return lines.flatMap((line) => {
    const [, local = "", remote = "", , , , , , , inode] = line.trim().split(/\s+/);
    return portIn(local) === localPort && portIn(remote) === remotePort ? [`socket:[${inode}]`] : [];
  });
}

const portIn = (address: string): number => Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16);
