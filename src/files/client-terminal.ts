import { readFileSync, readlinkSync } from "node:fs";
import { attempt } from "../text/attempt.ts";
import { parentProcess } from "./agent-process.ts";

const SHELLS = /^(sh|dash|bash|zsh|ksh|fish)$/;
/** With these an agent works through one task and asks nobody. */
const HEADLESS = /^(-p|--print|--prompt|--prompt=.*|--headless|--non-interactive|exec)$/;

/**
 * Whether the agent that started a process has a terminal where somebody can be asked: the first process above that is no shell reads from one,
 * and was not told to ask nobody. Only Linux tells this; elsewhere there is nobody.
 */
export function hasTerminalAbove(pid: number): boolean {
  let at = parentProcess(pid);
  while (at > 1 && SHELLS.test(read(`/proc/${at}/comm`).trim())) at = parentProcess(at);
  if (at <= 1) return false;
  const stdin = attempt(() => readlinkSync(`/proc/${at}/fd/0`), "");
  return (
    /^\/dev\/(pts\/|tty)/.test(stdin) &&
    !read(`/proc/${at}/cmdline`)
      .split("\0")
      .some((word) => HEADLESS.test(word))
  );
}

const read = (path: string): string => attempt(() => readFileSync(path, "latin1"), "");
