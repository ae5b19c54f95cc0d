import { readFileSync } from "node:fs";
import { attempt } from "../text/attempt.ts";
import { parentProcess } from "./agent-process.ts";

/**
 * In front of what a process runs. `terminal`: one that a person may sit at. `made`: a terminal that a program without one has opened, or whose shell is
 * gone. `none`: no terminal. `unknown`: the system does not tell.
 */
export type Seat = "terminal" | "made" | "none" | "unknown";

/** Programs that open terminals for other programs, not for people; and who takes in processes that nobody waits for. */
const MAKERS = /^(script|expect|unbuffer|socat|python|pypy|perl|ruby|tclsh|dtach|abduco|faketty|systemd|init|sh|bash|dash)[\d.]*$/;
const INIT = 1;

/** By the processes above: each that has another terminal, or none, has opened the one below it. */
export function seatOf(pid: number): Seat {
  if (process.platform !== "linux") return "unknown";
  const first = terminalOf(pid);
  if (first === null) return "unknown";
  let terminal = first;
  if (terminal === 0) return "none";
  for (let at = parentProcess(pid); at > INIT; at = parentProcess(at)) {
    const own = terminalOf(at) ?? 0;
    if (own === terminal) continue;
    if (own === 0) return MAKERS.test(nameOf(at)) ? "made" : "terminal";
    terminal = own;
  }
  // The first process of a container may have the terminal itself. Otherwise the shell that was typed into is gone.
  return pid === INIT || terminalOf(INIT) === terminal ? "terminal" : "made";
}

/** The number of the terminal of a process, 0 where it has none. */
function terminalOf(pid: number): number | null {
  const line = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");
  const word = line.slice(line.lastIndexOf(")") + 2).split(" ")[4];
  return word === undefined ? null : Number(word);
}

const nameOf = (pid: number): string => attempt(() => readFileSync(`/proc/${pid}/comm`, "latin1").trim(), "");
