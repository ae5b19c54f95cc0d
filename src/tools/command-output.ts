import type { Draft, DraftPart } from "../core/draft.ts";
import { type Category, ToolError } from "../core/error.ts";
import type { RanCommand } from "../core/inputs/tool-results.ts";
import type { Later, Ran } from "../core/ports/shell.ts";
import { quoteName } from "../text/path.ts";

/** What a command left: what it printed, and after it what is worth knowing about how it ended. Without its command line it is not shortened. */
export function ranOutput(ran: Ran, command?: string): Draft<RanCommand> {
  const { later = [] } = ran;
  const notes = [
    ...(ran.exitCode === 0 ? [] : [`exit code ${ran.exitCode}${ran.signal ? ` (${ran.signal})` : ""}`]),
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
    return `${quoteName(path)} ${how}: it is Zeph itself, and whoever starts it from there next starts what was left. Run npm ci first`;
  if (to !== undefined) return `${quoteName(path)} ${how} to ${quoteName(to)}: it steers an agent or Zeph, and no command may make it`;
  return `${quoteName(path)} ${how}${how === "is gone" ? "" : ": programs outside the sandbox may run or obey what is in it"}`;
};

/** As `ranOutput`, but a run that failed in one of the ways the table knows is thrown, with its output. */
export function ranOrThrow(ran: Ran, command: string, atTimeLimit: string): Draft<RanCommand> {
  const output = ranOutput(ran, command);
  const failure = failureOf(ran);
  if (!failure) return output;
  throw new ToolError(failure[0], failure[1], { output, ...(failure[0] === "timeout" && { advice: atTimeLimit }) });
}

/** Exit 0 is never an error, whatever the text says. A test run that is red is a result, not a failure. */
function failureOf({ exitCode, ended, stderr, unanswered = [] }: Ran): readonly [Category, string] | null {
  if (ended === "time limit")
    return ["timeout", "The command reached its time limit and was killed (exit code 124). Its output so far follows."];
  if (ended === "cancelled") return ["cancelled", "The command was cancelled (exit code 130)."];
  if (exitCode === 0) return null;
  if (unanswered.length > 0)
    return [
      "confirmation_required",
      `The command failed (exit code ${exitCode}), and it wanted to reach ${unanswered.join(", ")}, which needs a yes that nobody was there to give.`,
    ];
  if (exitCode === 126) return ["policy_blocked", "The command was found but may not be run (exit code 126)."];
  if (exitCode === 127) return ["permanent_failure", "The command was not found (exit code 127)."];
  const known = /permission denied|no such file or directory/i.exec(endsOf(stderr));
  return known ? ["permanent_failure", `${known[0]} (exit code ${exitCode}).`] : null;
}
