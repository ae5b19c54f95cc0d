import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startedBefore, startTimeOf } from "../files/agent-process.ts";
import { readOwnText } from "../files/own-file.ts";
import { isAlive } from "../files/process.ts";
import { attempt } from "../text/attempt.ts";
import { makeLiveFolder } from "./live-folder.ts";

const LONGEST_NOTE = 100;

/** Runtimes of this process that keep the note, by folder. A folder stays here for as long as the process runs. */
const notes = new Map<string, number>();

const noteFile = (folder: string, pid: number): string => join(folder, `${pid}.no-walls`);

/**
 * Notes in a folder of sockets that commands of this process run without walls. Call it before the first one is started. The function that is returned
 * removes the note; it stays while another runtime of the process needs it.
 */
export function noteWithoutWalls(folder: string): () => void {
  const count = notes.get(folder) ?? 0;
  // What runs here is known here, also where the note cannot be written.
  notes.set(folder, count);
  if (count === 0) {
    makeLiveFolder(folder);
    rmSync(noteFile(folder, process.pid), { force: true });
    writeFileSync(noteFile(folder, process.pid), startTimeOf(process.pid) ?? "", { mode: 0o600, flag: "wx" });
  }
  notes.set(folder, count + 1);
  const remove = () => void attempt(() => rmSync(noteFile(folder, process.pid), { force: true }), null);
  process.once("exit", remove);
  return () => {
    process.off("exit", remove);
    const left = notes.get(folder)! - 1;
    notes.set(folder, left);
    if (left === 0) remove();
  };
}

/**
 * Why an answer of the process `pid` to a question of this process does not count; null where it may. Commands that have ended may have left something behind.
 * What the system does not tell (null) may be one of them, whatever it says of itself.
 */
export const refusalHere = (folder: string, pid: number | null): string | null =>
  notes.has(folder) && (pid === null || !startedBefore(pid, process.pid)) ? AMONG_OPEN_COMMANDS : null;

/**
 * Why this process may not decide anything for a person now; null where it may. A command without walls has all rights of the person: it can leave the
 * processes that started it, or have another program start one, and nothing then tells it from a person. Only what is older than the agent is not its own.
 */
export function refusalWithoutWalls(folder: string): string | null {
  const [pid] = listWithoutWalls(folder).filter((pid) => pid !== process.pid && !startedBefore(process.pid, pid));
  if (pid === undefined) return null;
  return `Process ${pid} is an agent that runs commands without walls, and one of them could do this in your place. ${WHERE_INSTEAD}, or end that process first.`;
}

/** Processes of this folder whose commands run without walls. What dead ones left behind is removed. */
function listWithoutWalls(folder: string): readonly number[] {
  return attempt(() => readdirSync(folder), []).flatMap((name) => {
    const pid = Number(/^([1-9]\d*)\.no-walls$/.exec(name)?.[1] ?? 0);
    if (pid === 0) return [];
    const started = readOwnText(noteFile(folder, pid), { maxBytes: LONGEST_NOTE, links: "refuse" });
    if (started !== null && isAlive(pid) && started === (startTimeOf(pid) ?? "")) return [pid];
    attempt(() => rmSync(noteFile(folder, pid), { force: true }), null);
    return [];
  });
}

const WHERE_INSTEAD =
  "Answer in the terminal or editor that asks, or on a page of `zeph watch --answer` that was opened before that process began";
const AMONG_OPEN_COMMANDS = `This agent runs commands without walls, and one of them could have answered in your place. ${WHERE_INSTEAD}.`;
