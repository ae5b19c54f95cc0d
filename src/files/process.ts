import { attempt } from "../text/attempt.ts";

/** Whether a process of this number runs, also one that belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Ends a process, or with a negative number its group. One that is gone already is no failure. */
export const killNow = (pid: number): boolean => attempt(() => process.kill(pid, "SIGKILL"), false);
