import type { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import { type Gate, ONLY_CALLS } from "../core/gate/gate.ts";
import { PASS, type Verdict } from "../core/gate/verdict.ts";
import type { Facts, Refusal } from "../core/ports/facts.ts";
import type { PathTouch, Touch } from "../core/touch.ts";
import { programName } from "../shell/options.ts";
import { splitGit } from "../shell/programs/git.ts";
import { isTemporary } from "../shell/relative-path.ts";
import type { SimpleCommand } from "../shell/understanding.ts";
import { attempt } from "../text/attempt.ts";
import { commandOf, understood } from "./permissions/commands.ts";
import { perhapsPaths } from "./policy/possible-paths.ts";

/**
 * Asks the host's own check, so that judging a call and running it never disagree. Commands have walls of their own, in which files that
 * nobody may read are not to be seen; one that names such a file is refused beforehand, with the reason.
 */
export const createFilesGate = (facts: Facts): Gate => ({
  name: "files",
  alsoJudges: ONLY_CALLS,
  judge(call, { client }) {
    if (commandOf(call) === null) return judgeTouches(call.touches, facts);
    const hidden = hiddenNamed(call, facts);
    return hidden.kind === "pass" && client?.walls === "none" ? judgeUnwalled(call, facts) : hidden;
  },
});

/** What another agent's command would change outside of the folders is a question: no wall of ours holds it there. */
async function judgeUnwalled(call: ToolCall, facts: Facts): Promise<Verdict> {
  for (const touch of call.touches) {
    if (touch.kind !== "path" || touch.access === "read" || isTemporary(touch.path)) continue;
    const refusal = await access(facts, touch);
    if (refusal)
      return { kind: "ask", rule: refusal.rule, why: `The command would change ${touch.path}. ${refusal.why}`, about: touch.path };
  }
  return PASS;
}

/** At once where the host knows at once: a wait costs as much as the look. */
function judgeTouches(touches: readonly Touch[], facts: Facts): Verdict | Promise<Verdict> {
  for (const [n, touch] of touches.entries()) {
    const found = touch.kind === "path" ? access(facts, touch) : null;
    if (found instanceof Promise) return found.then((refusal) => (refusal ? denial(refusal) : judgeTouches(touches.slice(n + 1), facts)));
    if (found) return denial(found);
  }
  return PASS;
}

const denial = ({ rule, why }: Refusal): Verdict => ({ kind: "deny", rule, why });

/** A path that cannot be resolved (a loop of links, a name too long) cannot be opened either, and the host says why. */
function access(facts: Facts, touch: PathTouch): Refusal | null | Promise<Refusal | null> {
  const unresolved = (error: unknown): null => {
    if (error instanceof ToolError) return null;
    throw error;
  };
  try {
    const found = facts.access(touch);
    return found instanceof Promise ? found.catch(unresolved) : found;
  } catch (error) {
    return unresolved(error);
  }
}

function hiddenNamed(call: ToolCall, facts: Facts): Verdict {
  const { protection, unreadable = [] } = facts;
  if (!protection || unreadable.length === 0) return PASS;
  const commands = (understood(call) ?? []).flatMap((one) => one.commands).map(withoutExclusions);
  const fromGit = new Set(namedIn(commands.filter(isGit), call, facts));
  const named = [...call.touches.flatMap((touch) => (touch.kind === "path" ? [touch.path] : [])), ...namedIn(commands, call, facts)];
  for (const path of named) {
    // What is not there cannot be read; git keeps files that are not there any more.
    if (/[*?[]/.test(path) || !(facts.exists(path) || fromGit.has(path))) continue;
    const refusal = hiddenOr(protection.hidden, path);
    if (refusal) return { kind: "deny", rule: refusal.rule, why: refusal.why };
  }
  return PASS;
}

const namedIn = (commands: readonly SimpleCommand[], call: ToolCall, { exists }: Facts): string[] =>
  perhapsPaths(commands, exists, commandOf(call) ?? "").flatMap(({ path }) => path ?? []);

const isGit = ({ argv: [name] }: SimpleCommand): boolean => typeof name === "string" && programName(name) === "git";

const hiddenOr = (hidden: (path: string) => { rule: string; why: string } | null, path: string) => attempt(() => hidden(path), null);

/** What a program is told to leave out is not what it opens; nor is what git is told to forget or to look for in its lists. */
function withoutExclusions(command: SimpleCommand): SimpleCommand {
  const { argv } = command;
  if (isGit(command) && ["check-ignore", "check-attr", "ls-files"].includes(splitGit(argv.slice(1)).verb ?? ""))
    return { ...command, argv: [] };
  return { ...command, argv: argv.filter((word, n) => n === 0 || !(EXCLUDES.test(word ?? "") || EXCLUDES_NEXT.test(argv[n - 1] ?? ""))) };
}

const EXCLUDES = /^--?(exclude|ignore|skip)[\w-]*=|^!|^:\(?(exclude|!)/;
const EXCLUDES_NEXT = /^--?(exclude|ignore|skip)[\w-]*$/;
