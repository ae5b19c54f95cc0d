import { fstatSync, readdirSync, readFileSync } from "node:fs";
import { attempt } from "../../text/attempt.ts";

const O_CLOEXEC = 0o2000000;

/** Descriptors this process was started with that would pass on to every child: a folder among them is a way around all mounts. */
export const leakyDescriptors = (): number[] =>
  attempt(
    () =>
      readdirSync("/proc/self/fdinfo")
        .map(Number)
        .filter((fd) => fd > 2 && !closesOnExec(fd)),
    [],
  );

/** What was found to close, by number and by what it is open on: to ask again costs more than to look whether it is still the same. */
const closing = new Map<number, string>();

function closesOnExec(fd: number): boolean {
  try {
    const { dev, ino, rdev } = fstatSync(fd);
    const what = `${dev} ${ino} ${rdev}`;
    if (closing.get(fd) === what) return true;
    const isClosing = asked(fd);
    if (isClosing) closing.set(fd, what);
    else closing.delete(fd);
    return isClosing;
  } catch {
    // Closed meanwhile: it was the one the list was read through.
    return true;
  }
}

function asked(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    // Closed meanwhile: it was the one the list was read through.
    return true;
  }
}
