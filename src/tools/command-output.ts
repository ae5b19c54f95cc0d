import { type Draft, type DraftPart, withNote } from "../core/draft.ts";
import { type Category, ToolError } from "../core/error.ts";
import type { RanCommand, StartedCommand } from "../core/inputs/tool-results.ts";
import type { Later, Look, Ran, Started, Watched } from "../core/ports/shell.ts";
import type { Walls } from "../core/ports/walls.ts";
import { quoteName } from "../text/path.ts";
import { failedName, shortName } from "./failed-name.ts";

/** What a command left: what it printed, and after it what is worth knowing about how it ended. Without its command line it is not shortened. */
export const ranOutput = (ran: Ran, command = ran.run?.command): Draft<RanCommand> =>
  outputWith(ran, command, [
    ...(ran.exitCode === 0 ? [] : [`exit code ${ran.exitCode}${ran.signal ? ` (${ran.signal})` : ""}`]),
    ...folderNote(ran),
  ]);

/** Nothing is said where a command ran at the workspace's top, which is where everybody thinks it did. */
function folderNote({ folder, moved }: Ran): string[] {
  if (!moved) return folder === undefined ? [] : [`in ${folder}`];
  const now = folder === undefined ? "at the top" : `in ${folder}`;
  if (moved.from !== undefined) return [`started in ${moved.from}, now ${now}`];
  return folder === undefined ? [] : [`now ${now}`];
}

/** `ending`: how it ended and where, unless an error block says so. */
function outputWith(ran: Ran, command: string | undefined, ending: readonly string[]): Draft<RanCommand> {
  const { later = [] } = ran;
  const notes = [
    ...ending,
    ...(ran.rollback ? [ran.rollback] : []),
    ...(ran.hint ? [ran.hint] : []),
    ...ran.notes,
    ...later.slice(0, MOST_SHOWN).map(laterText),
  ];
  const text = ran.text.slice(0, endOf(ran.text));
  const body: readonly DraftPart[] =
    text === "" ? [] : [command === undefined ? { kind: "text", text } : { kind: "printed", text, command }];
  const parts = [...body, ...notes.map((note): DraftPart => ({ kind: "note", text: `[${note}]` })), ...listOf(later)];
  return {
    parts: parts.length === 0 ? [{ kind: "text", text: ran.run?.wasLookedAt ? "(no new output)" : "(no output)" }] : parts,
    raw: {
      stdout: ran.stdout,
      stderr: ran.stderr,
      exit_code: ran.exitCode,
      ...(ran.signal && { signal: ran.signal }),
      truncated: ran.truncated,
    },
    exitCode: ran.exitCode,
    truncated: ran.truncated,
    ...(ran.sizes && { sizes: ran.sizes }),
    walls: ran.walls,
    ...(ran.hint && { hint: ran.hint }),
    ...(ran.rollback && { rollback: ran.rollback }),
  };
}

/** A command in the background after its first second: what it printed, and how it ended where it has. */
export function startedOutput(
  { runId, ran, folder, walls, ...look }: Started & Watched & { readonly walls?: Walls },
  command: string,
): Draft<StartedCommand> {
  const started: DraftPart = { kind: "note", text: `[background] started run_id=${runId}${folder === undefined ? "" : ` in ${folder}`}` };
  if (!ran) return { parts: [started, ...lookParts({ ...look, command })], raw: { run_id: runId }, ...(walls && { walls }) };
  const { parts, raw, ...rest } = endedOutput(runId, ran, command);
  return { ...rest, parts: [started, ...parts], raw: { ...raw, run_id: runId } };
}

/** What a command in the background left, and that it has ended. */
export const endedOutput = (runId: string, ran: Ran, command = ran.run?.command): Draft<RanCommand> =>
  withNote(outputWith(ran, command, folderNote(ran)), endedText(runId, ran));

/** A note that a command in the background has ended; what it printed follows. */
export const endedText = (runId: string, { exitCode, ended }: Pick<Ran, "exitCode" | "ended">): string =>
  `[background complete] run_id=${runId} exit_code=${exitCode}${ENDED[ended]}`;

const ENDED = { "by itself": "", cancelled: " (killed)", "time limit": " (time limit)" } as const;

/** What a command that goes on has printed so far. */
export function lookParts({ output = "", command, isUnfinished }: Look): readonly DraftPart[] {
  if (output.trim() === "") return [];
  const text = output.slice(0, endOf(output));
  return [
    command === undefined ? { kind: "text", text } : { kind: "printed", text, command },
    ...(isUnfinished ? [{ kind: "note", text: "[its last line has no end yet]" } as const] : []),
  ];
}

function listOf(later: readonly Later[]): DraftPart[] {
  if (later.length <= MOST_SHOWN) return [];
  const says = `${later.length} files that programs outside the sandbox run or obey appeared, changed or were removed; ${MOST_SHOWN} are named here`;
  return [{ kind: "list", says, text: later.map(laterText).join("\n") }];
}

/** Where the line ends behind a text begin. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 10) end--;
  return end;
}

/** What a command died of stands at the beginning or the end. Megabytes between them are not read here, where others wait. */
const endsOf = (text: string): string => (text.length <= 2 * LOOKED_AT ? text : `${text.slice(0, LOOKED_AT)}\n${text.slice(-LOOKED_AT)}`);
const LOOKED_AT = 64 * 1024;

/** Of files that run later, named in the answer itself; all are named where the rest of it is kept. */
const MOST_SHOWN = 20;

const UNSEEN = "what is in it was not looked for: programs outside the sandbox may run or obey it";

/** One file or folder that a command left, in words. */
export const laterText = ({ path, how, to, why, isZeph }: Later): string => {
  if (why !== undefined)
    return `${quoteName(path)} ${why}, so ${to === undefined ? UNSEEN : `it was moved away as a whole to ${quoteName(to)}`}`;
  if (isZeph)
    return `${quoteName(path)} ${how}: it is Zeph itself, and whoever starts it from there next starts what was left. Run ${path.includes("/node_modules/") ? "npm ci" : "npm run build"} first`;
  if (to !== undefined) return `${quoteName(path)} ${how} to ${quoteName(to)}: it steers an agent or Zeph, and no command may make it`;
  return `${quoteName(path)} ${how}${how === "is gone" ? "" : ": programs outside the sandbox may run or obey what is in it"}`;
};

/** As `ranOutput`, but a run that failed in one of the ways the table knows is thrown, with its output. */
export function ranOrThrow(ran: Ran, command: string, atTimeLimit: string): Draft<RanCommand> {
  const failure = failureOf(ran, atTimeLimit);
  if (!failure) return ranOutput(ran, command);
  const { category, error, advice } = failure;
  const isPlaced = failure.isRelative && ran.folder !== undefined && !ran.moved;
  const output = outputWith(ran, command, isPlaced ? [] : folderNote(ran));
  throw new ToolError(category, isPlaced ? `${error} The command ran in ${ran.folder}.` : error, { output, ...(advice && { advice }) });
}

interface CommandFailure {
  readonly category: Category;
  /** What was not found or not allowed. It says the exit code, so the output does not say it again. */
  readonly error: string;
  readonly advice?: string;
  /** What was not found is named from the folder the command ran in, which may explain it. */
  readonly isRelative?: boolean;
}

const DENIED = /permission denied/i;
const MISSING = /no such file or directory/i;

interface Said extends Pick<CommandFailure, "category" | "advice"> {
  readonly sign: RegExp;
  readonly what: string;
}
const NOT_RUN = { category: "policy_blocked", advice: "Check its mode, or use its interpreter." } as const;
const NOT_FOUND = { category: "permanent_failure", advice: "Check the name, and that it is installed." } as const;

/** What a shell says of what it could not run. A program may end with the same code, and then nobody says it. */
const SHELL_SAYS: Readonly<Record<number, readonly Said[]>> = {
  126: [
    { sign: /is a directory/i, what: "is a directory", category: "policy_blocked", advice: "Name a program in it." },
    { sign: /permission denied|cannot execute/i, what: "found, but not executable", ...NOT_RUN },
  ],
  127: [
    { sign: /cannot execute: required file not found/i, what: "found, but not its interpreter", ...NOT_FOUND },
    { sign: /(?<=: )(?:command )?not found|no such file or directory/i, what: "command not found", ...NOT_FOUND },
  ],
};

/** Exit 0 is never an error, whatever the text says. A test run that is red is a result, not a failure. */
function failureOf({ exitCode, ended, stderr, text: all, unanswered = [] }: Ran, atTimeLimit: string): CommandFailure | null {
  if (ended === "time limit")
    return { category: "timeout", error: "The command reached its time limit and was killed (exit code 124).", advice: atTimeLimit };
  if (ended === "cancelled") return { category: "cancelled", error: "The command was cancelled (exit code 130)." };
  if (exitCode === 0) return null;
  if (unanswered.length > 0)
    return {
      category: "confirmation_required",
      error: `The command failed (exit code ${exitCode}), and it wanted to reach ${unanswered.join(", ")}, which needs a yes that nobody was there to give.`,
    };
  const failed = (text: string, { sign, what, ...rest }: Said): CommandFailure => {
    const name = failedName(text, sign);
    const error = `${name === null ? "" : `${shortName(name)}: `}${what} (exit code ${exitCode}).`;
    // A name without a slash was looked for in PATH.
    const isRelative = name !== null && !name.startsWith("/") && (exitCode < 126 || name.includes("/"));
    return { ...rest, error, isRelative };
  };
  // In a terminal both streams are one.
  for (const line of endsOf(stderr.trim() === "" ? all : stderr)
    .split("\n")
    .reverse()) {
    const said = SHELL_SAYS[exitCode]?.find(({ sign }) => sign.test(line));
    if (said) return failed(line, said);
  }
  const text = endsOf(stderr);
  if (DENIED.test(text))
    return {
      ...failed(text, { sign: DENIED, what: "permission denied", category: "permanent_failure", advice: "Check the path and its mode." }),
      isRelative: false,
    };
  if (MISSING.test(text))
    return failed(text, { sign: MISSING, what: "no such file or directory", category: "permanent_failure", advice: "Check the path." });
  return null;
}
