import * as z from "zod";
import type { ToolCall } from "../../core/call.ts";
import { isServerTool } from "../../core/facets.ts";
import type { Gate } from "../../core/gate/gate.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { setting } from "../../core/setting.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { CallerRights, TurnContext } from "../../core/turn.ts";
import { makeOnce } from "../../text/make-once.ts";
import { plural } from "../../text/words.ts";
import type { TrustOrigin } from "../trust.ts";
import { askedByClient } from "./client-asks.ts";
import { commandOf, understood } from "./commands.ts";
import { doubtsAbout, withoutRules } from "./defaults.ts";
import { editsKey, isWorkspaceEdit } from "./edits.ts";
import { callerOf, callIdentity, grantKey, staleOf } from "./identity.ts";
import { judgeAll, judgeFileRules, judgeSubject } from "./rule-verdicts.ts";
import { commandSubjects, firstPermissionRule, subjectsOf, urlSubject, type Whole } from "./rules.ts";
import { type CompiledRules, createRulesByTool, toolKeyProblem } from "./rules-by-tool.ts";
import { confirmations } from "./rules-confirm.ts";

const rule = makeOnce(() =>
  z.strictObject({
    pattern: z.string().min(1),
    action: z.enum(["allow", "ask", "deny"]),
    exact: z.boolean().optional(),
    caller: z.string().min(1).optional(),
  }),
);
export type PermissionRule = z.output<ReturnType<typeof rule>>;

export const permissionsConfig = makeOnce(() =>
  setting(
    z
      .record(z.string(), z.array(rule()))
      .superRefine((lists, ctx) => {
        for (const key of Object.keys(lists)) {
          const problem = toolKeyProblem(key);
          if (problem !== null) ctx.addIssue({ code: "custom", path: [key], message: problem });
        }
      })
      .default({}),
    'Rules for each tool, written as `[[tools.permissions.<tool>]]` with `pattern` and `action`. First match wins; none means ask. `[[tools.permissions."mcp__notes__*"]]` speaks of all tools of an MCP server: what it denies stays denied, and else the rules for a tool itself come first. With `exact = true` the pattern is no glob but one call as `always` writes it: its path, letter by letter, or its arguments as JSON. With `caller` a rule speaks of that caller alone.',
    "denies",
  ),
);

export const autonomyConfig = makeOnce(() =>
  setting(
    z.enum(["full", "edits", "supervised", "readonly"]).default("supervised"),
    "`readonly` denies every tool that does more than read. `edits` lets the file tools change files of the workspace without a question; commands are asked about as before, and protected files one by one. `full` answers the questions of permissions, trust and verifiers with yes. Denials still hold, other gates still ask, and a command nobody could take apart is asked about.",
    ["full", "edits", "supervised", "readonly"],
  ),
);

export interface Mode {
  readonly autonomy: z.output<ReturnType<typeof autonomyConfig>>;
  /** tools.enabled */
  readonly enabled: boolean;
  /** Whether Zeph itself brings the tool. What others call a change of a file may be more than one. */
  readonly isOwn?: (tool: string) => boolean;
  /** Whether the person trusts the MCP server that brings the tool: then it needs no rule. */
  readonly isVouched?: (tool: string) => boolean;
}

/** A tool is Zeph's own where nobody else brings it. */
export const createMode = (
  { autonomy, tools }: { readonly autonomy: Mode["autonomy"]; readonly tools: { readonly enabled: boolean } },
  originOf: (tool: string) => TrustOrigin | undefined,
): Mode => ({
  autonomy,
  enabled: tools.enabled,
  isOwn: (tool) => originOf(tool) === undefined,
  isVouched: (tool) => isServerTool(tool) && originOf(tool)?.trust === "trusted",
});

/** What decides about commands that no rule speaks of. */
export interface ShellQuestions {
  /** tools.shell.confirm_patterns */
  readonly confirm: readonly string[];
  /** "ask" when every substitution needs a yes. */
  readonly constructs: "ask" | "look";
  /** Whether walls stand around commands. */
  readonly walls: () => boolean | Promise<boolean>;
  /** Places that are the command's own behind walls, as a command writes them: what is written there reaches nobody. */
  readonly inside?: readonly string[];
  /** Commands a person allowed for good, each with its folder. No rule says that without allowing more. */
  readonly kept: { has(key: string): boolean; add(key: string): void };
}

export interface Permissions extends Gate {
  /** Answers the question about exactly this call with yes: until the session begins anew, or for good. It covers what was asked about, not what that is by now. */
  grant(call: ToolCall, turn: TurnContext, until: "session" | "edits" | "always"): void;
  /** Whether the call only edits files of the workspace. */
  isEdit(call: ToolCall): boolean;
  /** The rule that would let this very call in, and nothing else; none for a command, which is kept whole instead. */
  narrowest(call: ToolCall, turn: TurnContext): readonly PermissionRule[];
}

export interface PermissionMemory {
  readonly granted: Set<string>;
  /** The callers that may edit all files of the workspace in this session. */
  readonly edits: Set<string>;
  /** Kept for good, so that starting anew in this session does not ask again. */
  readonly kept: Set<string>;
  /** What was asked about a call that is still open. */
  readonly asked: WeakMap<ToolCall, string>;
}
export const permissionMemory = (): PermissionMemory => ({ granted: new Set(), edits: new Set(), kept: new Set(), asked: new WeakMap() });

/** The strictest answer about anything the call touches counts. */
export function createPermissionsGate(
  config: z.output<ReturnType<typeof permissionsConfig>>,
  { autonomy, enabled, isOwn = () => false, isVouched = () => false }: Mode,
  facts: Facts,
  shell: ShellQuestions,
  { granted, edits, kept, asked }: PermissionMemory = permissionMemory(),
): Permissions {
  const rules = createRulesByTool(config, facts);
  const confirmed = confirmations(shell.confirm);
  const hasRules = ["bash", "read", "write", "delete_path"].some((tool) =>
    rules.of(tool).some(({ action }) => action !== "allow" || tool === "bash"),
  );

  const callers = new WeakMap<CallerRights, CompiledRules>();
  const rulesOfCaller = (rights: CallerRights): CompiledRules => {
    const known = callers.get(rights) ?? createRulesByTool(rights.permissions ?? {}, facts);
    callers.set(rights, known);
    return known;
  };
  /** A caller's own rules stand in place of the runtime's where there are some for the tool; what those deny stays denied. */
  const opinion = async (call: ToolCall, turn: TurnContext): Promise<Verdict> => {
    const general = await opinionBy(rules, call, turn);
    const own = turn.rights && rulesOfCaller(turn.rights);
    return general.kind === "deny" || !own || own.of(call.tool.name).length === 0 ? general : opinionBy(own, call, turn);
  };

  const opinionBy = async (rules: CompiledRules, call: ToolCall, turn: TurnContext): Promise<Verdict> => {
    const own = rules.of(call.tool.name);
    const meanings = understood(call);
    const whole = wholeOf(call, turn, facts);
    if (!meanings)
      return own.length > 0
        ? strictest(judgeAll(call.tool, subjectsOf(call, facts), own, whole))
        : isVouched(call.tool.name)
          ? { kind: "pass", rule: "trusted server" }
          : withoutRules(call.tool, shell.walls, turn.client);
    const text = commandOf(call) ?? "";
    const isHeld = turn.client?.walls !== "none" && (await shell.walls());
    const inside = isHeld ? (shell.inside ?? []) : null;
    // What a program of the project does is the client's to ask about, where it asks.
    const heldBy = isHeld ? "walls" : turn.client?.unruled === "left to it" && turn.client.walls === "none" ? "the client" : "nobody";
    return strictest([
      ...meanings.flatMap((meaning) =>
        own.length > 0
          ? judgeAll(call.tool, commandSubjects(text, meaning, facts), own, whole)
          : [question(confirmed(meaning, text, { facts, inside }))],
      ),
      // Rules are about what is known. Where there are some, walls do not stand in for knowing it.
      ...meanings.flatMap((meaning) => doubtsAbout(meaning, shell.constructs, hasRules ? "nobody" : heldBy)),
      ...judgeFileRules(call.touches, rules, facts, whole),
      ...(own.length > 0 ? [] : [await withoutRules(call.tool, shell.walls, turn.client)]),
    ]);
  };

  /** A redirect leads only where the tool's rules allow it, if it has any. */
  const redirected = (tool: AnyTool, url: string): Verdict => {
    const own = rules.of(tool.name);
    if (own.length === 0) return PASS;
    return judgeSubject(tool, urlSubject(url), own, { identity: () => urlSubject(url).sure[0] ?? "", caller: undefined });
  };

  /** What rules say of a command and its files. One for every call of `bash` speaks of that tool, and the model called another one. */
  const aboutCommand = (list: CompiledRules, call: ToolCall, turn: TurnContext): Verdict[] => {
    const own = list.of(call.tool.name).filter(({ pattern, action }) => action === "allow" || !isWholePattern(pattern));
    const whole = wholeOf(call, turn, facts);
    const text = commandOf(call) ?? "";
    const said = (understood(call) ?? []).flatMap((meaning) =>
      judgeAll(call.tool, commandSubjects(text, meaning, facts), own, whole).filter(({ rule }) => rule !== null),
    );
    return [...said, ...judgeFileRules(call.touches, list, facts, whole)];
  };

  /** What is denied stays denied. In place of questions stand the rules for the tool that runs such commands: its calls were judged by them. */
  const innerCommands = (call: ToolCall, turn: TurnContext): Verdict => {
    const lists = [rules, ...(turn.rights ? [rulesOfCaller(turn.rights)] : [])];
    const said = strictest(lists.flatMap((list) => aboutCommand(list, call, turn)));
    if (said.kind === "deny") return said;
    if (rules.of("diagnostics").length > 0) return PASS;
    if (said.kind === "ask") return said;
    const text = commandOf(call) ?? "";
    const found = (understood(call) ?? [])
      .map((meaning) => confirmed(meaning, text, { facts, inside: null }))
      .find((reason) => reason !== null);
    if (!found) return PASS;
    const { pattern } = found;
    const why = `"${pattern}" is asked about (tools.shell.confirm_patterns), so run it with bash.`;
    return { kind: "ask", rule: `confirm_patterns: ${pattern}`, why };
  };

  /** A rule that an answer wrote lets the call in. */
  const isAnswered = (call: ToolCall, turn: TurnContext): boolean => {
    const own = rules.of(call.tool.name);
    if (!own.some(({ exact }) => exact)) return false;
    const whole = wholeOf(call, turn, facts);
    return subjectsOf(call, facts).some((subject) => firstPermissionRule(own, subject, whole)?.exact);
  };

  const isEdit = (call: ToolCall): boolean => isOwn(call.tool.name) && isWorkspaceEdit(call, facts);
  /** A yes to all edits answers what no rule speaks of, and no rule that asks. */
  const coveredEdit = (call: ToolCall, { rule }: Verdict, turn: TurnContext): Verdict | null => {
    const isAgreed = autonomy === "edits" || (edits.has(editsKey(turn)) && !turn.unattended);
    if (rule !== null || !isAgreed || !isEdit(call)) return null;
    if (autonomy === "edits") return { kind: "pass", rule: "autonomy = edits" };
    return { kind: "pass", rule: "all edits of this session", noted: { grant: "edits" } };
  };

  const isCommand = (call: ToolCall): boolean => isOwn(call.tool.name) && commandOf(call) !== null;
  /** A rule of another file tool speaks of what the call touches: `write` of what `edit` would change. */
  const isSpokenOf = ({ touches }: ToolCall, turn: TurnContext): boolean =>
    [rules, ...(turn.rights ? [rulesOfCaller(turn.rights)] : [])].some(
      (list) => judgeFileRules(touches, list, facts, { identity: () => "", caller: callerOf(turn) }).length > 0,
    );
  const covered = async (call: ToolCall, verdict: Verdict, turn: TurnContext): Promise<Verdict | null> =>
    isSpokenOf(call, turn)
      ? null
      : (coveredEdit(call, verdict, turn) ?? askedByClient(call, verdict, turn, { facts, isEdit, isCommand, walls: shell.walls }));

  return {
    name: "permissions",
    isEdit,
    alsoJudges: { redirects: redirected, innerCommands },
    async judge(call, turn) {
      if (!enabled) return { kind: "deny", rule: "tools.enabled = false", why: "Tools are switched off in the configuration." };
      if (autonomy === "readonly" && call.tool.effect !== "reads")
        return { kind: "deny", rule: "autonomy = readonly", why: `${call.tool.name} does more than read, and autonomy is "readonly".` };
      const verdict = await opinion(call, turn);
      if (verdict.kind === "deny" || (verdict.kind === "pass" && !isAnswered(call, turn))) return verdict;
      // Nobody has read such a command, so nobody can have meant to allow it.
      if (autonomy === "full" && !isUnread(call)) return verdict.kind === "pass" ? verdict : { kind: "pass", rule: "autonomy = full" };
      const about = grantKey(call, turn, facts);
      const isKept = kept.has(about) || (commandOf(call) !== null && shell.kept.has(about));
      const isGranted = isKept || (granted.has(about) && !turn.unattended);
      const before =
        verdict.kind === "pass" ? verdict : isGranted ? GRANTED[isKept ? "always" : "session"] : await covered(call, verdict, turn);
      const stale = before ? staleOf(call, facts) : undefined;
      if (before && stale === undefined) return before;
      asked.set(call, about);
      if (stale !== undefined) return { kind: "ask", rule: "changed since it was read", why: changedSince(stale), about };
      return { ...verdict, about };
    },
    grant(call, turn, until) {
      if (until === "edits") return void edits.add(editsKey(turn));
      const about = asked.get(call) ?? grantKey(call, turn, facts);
      (until === "always" ? kept : granted).add(about);
      if (until === "always" && commandOf(call) !== null) shell.kept.add(about);
    },
    narrowest(call, turn) {
      // Rules for the parts of a command would allow each part anywhere, so none are written.
      if (commandOf(call) !== null) return [];
      const caller = callerOf(turn);
      return [{ pattern: callIdentity(call, facts), action: "allow", exact: true, ...(caller !== undefined && { caller }) }];
    },
    hides: (tool) => {
      if (autonomy === "readonly" && tool.effect !== "reads") return true;
      const list = rules.of(tool.name);
      const whole = list.findIndex(({ pattern }) => isWholePattern(pattern));
      return whole >= 0 && list.slice(0, whole + 1).every(({ action }) => action === "deny");
    },
    state() {
      return enabled ? `${autonomy}, ${plural(rules.count, "rule")}` : "tools are switched off";
    },
    reset() {
      granted.clear();
      edits.clear();
    },
  };
}

/** It fits every call of its tool. */
const isWholePattern = (pattern: string): boolean => pattern === "*" || pattern === "**";

/** Too long, too deep or too broken to be taken apart. */
const isUnread = (call: ToolCall): boolean =>
  understood(call)?.some(({ commands, unknown, isUnread }) => isUnread || (commands.length === 0 && unknown.length > 0)) ?? false;

/** What a call comes to is worked out only where a rule wants to know. */
function wholeOf(call: ToolCall, turn: TurnContext, facts: Facts): Whole {
  let known: string | undefined;
  const identity = () => {
    known ??= callIdentity(call, facts);
    return known;
  };
  return { identity, caller: callerOf(turn) };
}

const GRANTED = {
  session: { kind: "pass", rule: "granted for this session", noted: { grant: "session" } },
  always: { kind: "pass", rule: "granted for this session", noted: { grant: "always" } },
} as const satisfies Record<string, Verdict>;

const changedSince = (path: string): string =>
  `${path} was changed by another program since it was read here, and the earlier yes was for the old content. Read it again, or say yes to this call.`;

/** A question that a rule asks counts for more than one that no rule speaks of: what answers the latter must not answer the former. */
const strictness = ({ kind, rule }: Verdict): number => ({ pass: 0, ask: rule === null ? 1 : 2, deny: 3 })[kind];

const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((worst, verdict) => (strictness(verdict) > strictness(worst) ? verdict : worst), verdicts[0] ?? PASS);

const question = (reason: { pattern: string; what: string } | null): Verdict =>
  reason ? { kind: "ask", rule: `confirm_patterns: ${reason.pattern}`, why: `"${reason.pattern}" is asked about: ${reason.what}` } : PASS;
