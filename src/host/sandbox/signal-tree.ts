import { readFileSync } from "node:fs";
import { attempt } from "../../text/attempt.ts";

/** Programs of the walls themselves: they end when their command does. */
const WALLS = new Set(["bwrap", "zeph-run", "zeph-net"]);
const MOST = 4096;

/** Sends a signal to what stands behind the walls that begin with this process. False when nothing is there. */
export function signalBehindWalls(pid: number, number: number): boolean {
  let isHeard = false;
  for (const below of processesBelow(pid))
    if (!WALLS.has(nameOf(below).replace(/-linux.*$/, ""))) isHeard = attempt(() => process.kill(below, number), false) || isHeard;
  return isHeard;
}

function processesBelow(pid: number): readonly number[] {
  const found: number[] = [];
  for (const waiting = [pid]; waiting.length > 0 && found.length < MOST; ) {
    const at = waiting.pop()!;
    const children = attempt(() => readFileSync(`/proc/${at}/task/${at}/children`, "utf8"), "").split(" ");
    for (const child of children.map(Number).filter((one) => one > 0)) {
      found.push(child);
      waiting.push(child);
    }
  }
  return found;
}

/** The system cuts it after fifteen characters. */
const nameOf = (pid: number): string => attempt(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim(), "");
