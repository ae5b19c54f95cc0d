import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";

/** What a command printed. */
export interface Sample {
  readonly name: string;
  readonly command: string;
  readonly exitCode: number;
  readonly raw: string;
}

/** The raw side of every golden case: outputs of real runs. FILTER_CASES names more folders of cases (cmd, exit, raw), separated by colons. */
export function realOutputs(): readonly Sample[] {
  const golden = join(import.meta.dirname, "../../golden/filters");
  const folders = [...readdirSync(golden).map((rule) => join(golden, rule)), ...(process.env.FILTER_CASES?.split(":") ?? [])];
  return folders.flatMap((folder) => readdirSync(folder).flatMap((name) => readSample(name, join(folder, name))));
}

function readSample(name: string, at: string): Sample[] {
  const read = (file: string) => readFileSync(join(at, file), "utf8");
  try {
    return [{ name, command: read("cmd").trimEnd(), exitCode: Number(read("exit")), raw: read("raw") }];
  } catch {
    return [];
  }
}

/** Unlike anything a real tool prints, and all of them bad news. Each ends in a number of its own. */
const ERRORS = [
  "ERROR: disk full",
  "error: cannot write to /var/lib/thing",
  "fatal: unable to reach the mirror",
  "FATAL out of memory in pass",
  "Segmentation fault (core dumped) in step",
  "Error: ENOSPC: no space left on device, write",
  "panic: invariant broken at",
  "UnexpectedStateException: the queue is gone",
  "permission denied: /etc/shadow.",
  "E: Unable to fetch some archives, try",
  "AssertionError: left and right differ by",
  "*** deadlock detected near",
  "Build FAILED in stage",
];

export const errorLine = fc.tuple(fc.constantFrom(...ERRORS), fc.integer({ min: 1000, max: 9999 })).map(([text, n]) => `${text} ${n}`);

/** What may happen to an output between the program and us. */
export type Change = (lines: readonly string[]) => readonly string[];

const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (where: number, lines: readonly string[]) => Math.floor(where * lines.length);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, fc.integer({ min: 1, max: 5 })).map(
    ([where, many]): Change =>
      (lines) =>
        lines.filter((_, n) => n < at(where, lines) || n >= at(where, lines) + many),
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 40 })).map(
    ([where, many]): Change =>
      (lines) =>
        lines.flatMap((line, n) => (n === at(where, lines) ? Array<string>(many).fill(line) : [line])),
  ),
  fc.tuple(place, place).map(
    ([one, other]): Change =>
      (lines) => {
        const moved = [...lines];
        const [line] = moved.splice(at(one, lines), 1);
        moved.splice(at(other, lines), 0, line ?? "");
        return moved;
      },
  ),
  place.map(
    (share): Change =>
      (lines) =>
        lines.slice(0, Math.max(1, at(share, lines))),
  ),
  place.map(
    (share): Change =>
      (lines) =>
        lines.slice(at(share, lines)),
  ),
  fc.constantFrom(31, 32, 33, 90).map(
    (colour): Change =>
      (lines) =>
        lines.map((line, n) => (n % 3 === 0 && line !== "" ? `\u001b[${colour}m${line}\u001b[0m` : line)),
  ),
  fc.constant<Change>((lines) => lines.map((line) => `${line}\r`)),
  fc.constantFrom("  ", "web-1  | ", "[12:00:01] ").map(
    (prefix): Change =>
      (lines) =>
        lines.map((line) => prefix + line),
  ),
);

/** The same command as somebody else would type it. */
const wrapping = fc.constantFrom<(command: string) => string>(
  (command) => command,
  (command) => `cd packages/app && ${command}`,
  (command) => `${command} 2>&1 | tail -200`,
  (command) => `time ${command}`,
  (command) => `FOO=1 BAR=2 ${command}`,
  (command) => `${command} || true`,
  (command) => `${command} 2>&1 | tee out.txt`,
  (command) => `mkdir -p out; ${command}`,
);

/** A real output, changed, in a command that was wrapped, with an exit code that may lie; and the lines that were put into it. */
export interface Changed extends Sample {
  readonly inserted: readonly string[];
}

export const changedOutput = (samples: readonly Sample[]): fc.Arbitrary<Changed> =>
  fc
    .record({
      sample: fc.constantFrom(...samples),
      changes: fc.array(change, { maxLength: 3 }),
      wrap: wrapping,
      exitCode: fc.oneof(fc.constant(null), fc.constantFrom(0, 1, 2, 101, 137)),
      errors: fc.array(fc.tuple(place, errorLine), { maxLength: 3 }),
    })
    .map(({ sample, changes, wrap, exitCode, errors }) => {
      const lines = changes.reduce<readonly string[]>((all, next) => next(all), sample.raw.split("\n"));
      const raw = errors.reduce<readonly string[]>((all, [where, line]) => all.toSpliced(at(where, all), 0, line), lines).join("\n");
      const inserted = errors.map(([, line]) => line);
      const one = { name: sample.name, command: wrap(sample.command), exitCode: exitCode ?? sample.exitCode, raw, inserted };
      // Of a counterexample the raw text is too long to read; the seed brings it back.
      return Object.assign(one, {
        [fc.toStringMethod]: () => `${one.name}: ${one.command} → ${one.exitCode}, ${raw.split("\n").length} lines`,
      });
    });
