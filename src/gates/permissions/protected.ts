import type { ToolCall } from "../../core/call.ts";
import { type Gate, ONLY_CALLS } from "../../core/gate/gate.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Facts, ProtectedFile } from "../../core/ports/facts.ts";
import { PROTECTED_RULES } from "../../core/protected.ts";
import type { TurnContext } from "../../core/turn.ts";
import { canonicalJson } from "../../text/json.ts";
import { display } from "../../text/path.ts";
import { commandOf } from "./commands.ts";
import { judgeFileRemotes } from "./file-remotes.ts";
import { callerOf } from "./identity.ts";
import type { Mode, PermissionRule } from "./permissions.ts";
import { judgeGit } from "./protected-git.ts";
import { type CompiledRule, compileRules } from "./rules.ts";

/** Yeses: a tool and one file it may change. */
export interface ProtectedMemory {
  readonly granted: Set<string>;
  /** Given for good, so that starting anew in this session does not ask again. */
  readonly kept: Set<string>;
}
export const protectedMemory = (): ProtectedMemory => ({ granted: new Set(), kept: new Set() });

export interface ProtectedGate extends Gate {
  /** A yes to what was last asked about this call, and to no other file. */
  grant(call: ToolCall, until: "session" | "edits" | "always"): void;
  /** Rules that name those very files. */
  narrowest(call: ToolCall, turn: TurnContext): readonly PermissionRule[];
}

export interface ProtectedParts {
  readonly rules: Readonly<Record<string, readonly PermissionRule[]>>;
  readonly autonomy: Mode["autonomy"];
  readonly facts: Facts;
}

/**
 * Files that something outside the walls runs or obeys later (`core/protected.ts`). To change one is a question of its own, whatever rule
 * allows its folder: only a rule that names that very file answers it, and `full` does not.
 */
export function createProtectedGate(
  { rules, autonomy, facts }: ProtectedParts,
  memory: ProtectedMemory = protectedMemory(),
): ProtectedGate {
  const { granted, kept } = memory;
  const asked = new WeakMap<ToolCall, { readonly files: readonly ProtectedFile[]; readonly keys: readonly string[] }>();
  const compiled = new Map(Object.entries(rules).map(([tool, list]) => [tool, literalRules(list, facts)]));
  const keyOf = (call: ToolCall, turn: TurnContext, { path }: ProtectedFile) =>
    canonicalJson([call.tool.name, callerOf(turn) ?? null, turn.skillName ?? null, path]);
  const open = async (call: ToolCall, turn: TurnContext): Promise<readonly ProtectedFile[]> => {
    if (commandOf(call) !== null || !facts.protection) return [];
    const touches = call.touches.flatMap((touch) => (touch.kind === "path" ? [touch] : []));
    if (touches.every(({ access }) => access === "read")) return [];
    const own = compiled.get(call.tool.name) ?? [];
    return (await facts.protection.changedBy(touches)).filter((file) => !isNamed(file, own, facts, callerOf(turn)));
  };
  return {
    name: "permissions",
    alsoJudges: ONLY_CALLS,
    async judge(call, turn) {
      if (call.tool.effect === "runs" && turn.client?.walls === "none") return judgeUnwalled(call, facts);
      if (call.tool.effect === "runs") return judgeCommand(call, facts);
      const files = await open(call, turn);
      const keys = files.map((file) => keyOf(call, turn, file));
      asked.set(call, { files, keys });
      if (files.length === 0) return PASS;
      const isAgreed = (key: string) => kept.has(key) || (granted.has(key) && !turn.unattended);
      if (keys.every(isAgreed)) return { kind: "pass", rule: "granted for this session", noted: { grant: "session" } };
      return autonomy === "full" ? refused(call, files, facts) : question(call, files, facts);
    },
    grant(call, until) {
      // All edits are no yes to a file that runs later.
      if (until === "edits") return;
      for (const key of asked.get(call)?.keys ?? []) (until === "always" ? kept : granted).add(key);
    },
    narrowest(call, turn) {
      const caller = callerOf(turn);
      const who = caller === undefined ? {} : { caller };
      return (asked.get(call)?.files ?? []).map(({ path }) => ({ pattern: path, action: "allow", exact: true, ...who }));
    },
    reset: () => granted.clear(),
  };
}

/**
 * The gate `permissions` as a whole: what the rules for a tool say, and what protected files say. The stricter word counts; where both
 * ask, one question has both reasons.
 */
export function withProtected<G extends Gate>(permission: G, protecting: ProtectedGate): G {
  return {
    ...permission,
    async judge(call: ToolCall, turn: TurnContext) {
      const byRules = await permission.judge(call, turn);
      if (byRules.kind === "deny") return byRules;
      const byFiles = await protecting.judge(call, turn);
      if (byFiles.kind === "pass") return byRules;
      if (byRules.kind === "pass" || byFiles.kind === "deny") return byFiles;
      return { ...byFiles, why: `${byRules.why}\n${byFiles.why}` };
    },
    reset() {
      permission.reset?.();
      protecting.reset?.();
    },
  };
}

/** Walls that cannot hold what is protected do not stand for a yes, and neither does any rule. */
async function judgeCommand(call: ToolCall, facts: Facts): Promise<Verdict> {
  const why = (await facts.protection?.exposed()) ?? null;
  const git = withRemotes(await judgeGit(call, facts), await judgeFileRemotes(call, facts));
  if (why === null) return git;
  if (git.kind === "pass") return { kind: "ask", rule: PROTECTED_RULES.exposed, why };
  return { ...git, why: `${why}\n${git.why}` };
}

/** A command that another agent runs without walls: the files it names are asked about, as those of a file tool are. */
async function judgeUnwalled(call: ToolCall, facts: Facts): Promise<Verdict> {
  const git = withRemotes(await judgeGit(call, facts), await judgeFileRemotes(call, facts));
  const touches = call.touches.flatMap((touch) => (touch.kind === "path" && touch.access !== "read" ? [touch] : []));
  const files = touches.length > 0 ? ((await facts.protection?.changedBy(touches)) ?? []) : [];
  if (files.length === 0) return git;
  const asked = question(call, files, facts);
  return git.kind === "pass" ? asked : { ...git, why: `${asked.kind === "pass" ? "" : asked.why}\n${git.why}` };
}

/** One question for both: what the command may change, and what is opened to it. */
function withRemotes(git: Verdict, remotes: Verdict): Verdict {
  if (remotes.kind === "pass") return git;
  if (git.kind === "pass") return remotes;
  const about = JSON.stringify({ ...JSON.parse(git.about ?? "{}"), ...JSON.parse(remotes.about ?? "{}") });
  return { ...git, why: `${git.why}\n${remotes.why}`, about };
}

/** Rules that allow and have no wildcard: each names one path. */
const literalRules = (list: readonly PermissionRule[], facts: Facts): CompiledRule[] =>
  compileRules(
    list.filter(({ action, pattern, exact }) => action === "allow" && (exact || !/[*?[\]{}]/.test(pattern.replace(/\\./gs, "")))),
    facts,
  );

const isNamed = ({ path }: ProtectedFile, rules: readonly CompiledRule[], { cwd }: Facts, by: string | undefined): boolean =>
  rules.some(({ matches, exact, pattern, caller }) => {
    if (caller !== undefined && caller !== by) return false;
    return exact ? pattern === path : matches.path(path) || matches.path(display(path, cwd));
  });

function question(call: ToolCall, files: readonly ProtectedFile[], facts: Facts): Verdict {
  const about = canonicalJson([call.tool.name, files.map(({ path }) => path).sort()]);
  return { kind: "ask", rule: PROTECTED_RULES.file, why: `${said(files, facts)} No rule for ${call.tool.name} names ${it(files)}.`, about };
}

const refused = (call: ToolCall, files: readonly ProtectedFile[], facts: Facts): Verdict => ({
  kind: "deny",
  rule: PROTECTED_RULES.file,
  why: `${said(files, facts)} With autonomy = "full" nobody is asked, so a rule of tools.permissions.${call.tool.name} has to name ${it(files)}.`,
  advice: "Leave the file as it is, or ask the person to change it or to allow it by a rule that names it.",
});

const MOST_NAMED = 20;

function said(files: readonly ProtectedFile[], { cwd }: Facts): string {
  const names = files.slice(0, MOST_NAMED).map(({ path }) => display(path, cwd));
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : "";
  return `It would change ${names.join(", ")}${more}, which programs outside the sandbox run or obey later.`;
}

const it = ({ length }: readonly unknown[]): string => (length === 1 ? "that very file" : "those very files");
