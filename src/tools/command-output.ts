import { type Draft, type DraftPart, withNote } from "../core/draft.ts";
import { type Category, ToolError } from "../core/error.ts";
import type { RanCommand, StartedCommand } from "../core/inputs/tool-results.ts";
import type { Later, Ran, Started, Watched } from "../core/ports/shell.ts";
import type { Walls } from "../core/ports/walls.ts";
import { quoteName } from "../text/path.ts";
import { failedName } from "./failed-name.ts";

/** What a command left: what it printed, and after it what is worth knowing about how it ended. Without its command line it is not shortened. */
export const ranOutput = (ran: Ran, command?: string): Draft<RanCommand> =>
  outputWith(ran, command, [
    ...(ran.exitCode === 0 ? [] : [`exit code ${ran.exitCode}${ran.signal ? ` (${ran.signal})` : ""}`]),
    ...folderNote(ran),
  ]);

/** Nothing is said where a command ran at the workspace's top, which is where everybody thinks it did. */
const folderNote = ({ folder, moved }: Ran): string[] => (folder === undefined ? [] : [`${moved ? "now in" : "in"} ${folder}`]);

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
    parts: parts.length === 0 ? [{ kind: "text", text: "(no output)" }] : parts,
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
  { runId, output = "", ran, folder, walls }: Started & Watched & { readonly walls?: Walls },
  command: string,
): Draft<StartedCommand> {
  const note = (text: string): DraftPart => ({ kind: "note", text });
  const started = note(`[background] started run_id=${runId}${folder === undefined ? "" : ` in ${folder}`}`);
  const raw = { run_id: runId };
  if (!ran) return { parts: [started, ...printedParts(output)], raw, ...(walls && { walls }) };
  const { parts, ...rest } = endedOutput(runId, ran, command);
  return { ...rest, parts: [started, ...parts], raw };
}

/** What a command in the background left, and that it has ended. */
export const endedOutput = (runId: string, ran: Ran, command?: string): Draft<RanCommand> =>
  withNote(outputWith(ran, command, folderNote(ran)), endedText(runId, ran));

/** A note that a command in the background has ended; what it printed follows. */
export const endedText = (runId: string, { exitCode }: Pick<Ran, "exitCode">): string =>
  `[background complete] run_id=${runId} exit_code=${exitCode}`;

/** What a command that goes on has printed so far. */
export const printedParts = (output: string): readonly DraftPart[] =>
  output.trim() === "" ? [] : [{ kind: "text", text: output.slice(0, endOf(output)) }];

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
  const isPlaced = failure.ofPath && ran.folder !== undefined && !ran.moved;
  const output = outputWith(ran, command, isPlaced ? [] : folderNote(ran));
  throw new ToolError(category, isPlaced ? `${error} The command ran in ${ran.folder}.` : error, { output, ...(advice && { advice }) });
}

interface CommandFailure {
  readonly category: Category;
  /** What was not found or not allowed. It says the exit code, so the output does not say it again. */
  readonly error: string;
  readonly advice?: string;
  /** The folder the command ran in explains it. */
  readonly ofPath?: true;
}

const DENIED = /permission denied/i;
const MISSING = /no such file or directory/i;
const UNKNOWN_COMMAND = /(?:command )?not found|no such file or directory/i;

/** Exit 0 is never an error, whatever the text says. A test run that is red is a result, not a failure. */
function failureOf({ exitCode, ended, stderr, unanswered = [] }: Ran, atTimeLimit: string): CommandFailure | null {
  if (ended === "time limit")
    return { category: "timeout", error: "The command reached its time limit and was killed (exit code 124).", advice: atTimeLimit };
  if (ended === "cancelled") return { category: "cancelled", error: "The command was cancelled (exit code 130)." };
  if (exitCode === 0) return null;
  if (unanswered.length > 0)
    return {
      category: "confirmation_required",
      error: `The command failed (exit code ${exitCode}), and it wanted to reach ${unanswered.join(", ")}, which needs a yes that nobody was there to give.`,
    };
  const text = endsOf(stderr);
  const about = (sign: RegExp, what: string): string => {
    const name = failedName(text, sign);
    return `${name === null ? "" : `${name}: `}${what} (exit code ${exitCode}).`;
  };
  if (exitCode === 126)
    return {
      category: "policy_blocked",
      error: about(DENIED, "found, but not executable"),
      advice: "Check its mode, or use its interpreter.",
      ofPath: true,
    };
  if (exitCode === 127)
    return {
      category: "permanent_failure",
      error: about(UNKNOWN_COMMAND, "command not found"),
      advice: "Check the name, and that it is installed.",
      ofPath: true,
    };
  if (DENIED.test(text))
    return { category: "permanent_failure", error: about(DENIED, "permission denied"), advice: "Check the path and its mode." };
  if (MISSING.test(text))
    return { category: "permanent_failure", error: about(MISSING, "no such file or directory"), advice: "Check the path.", ofPath: true };
  return null;
}
