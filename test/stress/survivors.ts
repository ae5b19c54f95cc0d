import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes of this machine, other than this one, that carry a word in their arguments or their environment; or keep a network with a program of that name. */
export function carrying(word: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      // It sees nothing but its program, under another name. Only where that comes from tells whose it is.
      const program = text(`/proc/${pid}/comm`) === "zeph-net\n" ? text(`/proc/${pid}/mountinfo`) : "";
      const words = `${text(`/proc/${pid}/cmdline`)} ${text(`/proc/${pid}/environ`)} ${program}`.replaceAll("\0", " ");
      return words.includes(word) && !/^[ZX]$/.test(stateOf(pid)) ? [`${pid} ${words.slice(0, 200)}`] : [];
    });
}

/** What is still there after a while: what was told to end takes a moment. */
export async function survivors(word: string, patienceMs = 10_000): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const left = carrying(word);
    if (left.length === 0 || Date.now() > deadline) return left;
    await sleep(20);
  }
}

function text(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

const stateOf = (pid: string): string => {
  const stat = text(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) || "X";
};
