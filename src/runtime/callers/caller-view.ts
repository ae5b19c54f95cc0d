import { randomUUID } from "node:crypto";
import { assertLimits, type Ledger, takeCall } from "../../agent/budget.ts";
import { ToolError } from "../../core/error.ts";
import type { Limits, ZephEvent } from "../../core/event.ts";
import type { Outcome } from "../../core/layer.ts";
import type { AnyTool } from "../../core/tool.ts";
import { type CallerRights, type CallerRule, runOwner, type Trust } from "../../core/turn.ts";
import { listsFor, toolKeyProblem } from "../../gates/permissions/rules-by-tool.ts";
import { UNJUDGED } from "../../pipeline/decision.ts";
import { aiSdkTools } from "../ai-sdk-tools.ts";
import type { Counts } from "../answers.ts";
import type { CallOptions, RuntimeInternals, Zeph } from "../runtime.ts";
import { callOf } from "./agent-scopes.ts";
import type { CallerWorkspaces } from "./caller-workspaces.ts";
import { rememberOpened } from "./opened-runtimes.ts";

/** One of several callers of a runtime. */
export interface CallerOptions {
  /** The caller's name: in the audit log, in questions, and for all that is remembered of it. */
  readonly id: string;
  /** How far the caller is trusted. Default: `trusted`. */
  readonly trust?: Trust;
  /** Rules by tool, as in `tools.permissions`. They may allow what the configuration asks about; what it denies stays denied. */
  readonly permissions?: Readonly<Record<string, readonly CallerRule[]>>;
  /**
   * Most that all agents and calls of this caller may use together, as long as the runtime is open: also through other views of the same id. A call outside of an
   * agent counts for `calls` alone, and is refused when those are used up.
   */
  readonly limits?: Limits;
  /**
   * A folder inside of the runtime's workspace that is this caller's workspace: relative paths begin there, and neither its files nor its commands reach anything
   * around it. Default: the runtime's workspace, all of it.
   */
  readonly workspace?: string;
  /** Most calls of this caller. Default: `tools.max_tool_calls_per_session`, counted for this caller alone. */
  readonly quota?: number;
}

/** A runtime as one caller has it: answers, quota, what was read and cached are its own; store, rules, tools and MCP servers are shared. */
export interface CallerView
  extends Pick<
    Zeph,
    "call" | "callAny" | "answer" | "openQuestions" | "dryRun" | "judge" | "tools" | "toAiSdkTools" | "turn" | "takeCompletions"
  > {
  readonly id: string;
  /** What was counted since the start of the runtime. `egress` is this caller's own. */
  stats(): Counts;
  /** Receives the events of this caller's calls. Returns a function that ends this. */
  onEvent(listener: (event: ZephEvent) => void): () => void;
}

interface ViewParts {
  readonly inside: RuntimeInternals;
  listen(listener: (event: ZephEvent) => void): () => void;
  readonly emit: (event: ZephEvent) => void;
  /** What the caller of this id has used. */
  ledgerOf(id: string): Ledger;
  readonly workspaces: Pick<CallerWorkspaces, "find" | "open">;
}

/** Throws a TypeError for rights that say nothing clear: a misspelt word must not be a right. */
export function createCallerView({ inside, listen, emit, ledgerOf, workspaces }: ViewParts, options: CallerOptions): CallerView {
  assertCaller(options);
  const { zeph } = inside;
  const { id, trust = "trusted", permissions, quota, limits = {}, workspace } = options;
  const rights: CallerRights = Object.freeze({ id, ...(permissions && { permissions }), ...(quota !== undefined && { quota }) });
  const mine = { callerId: id, trust, rights };
  const account = { limits, ledger: ledgerOf(id) };
  const spent: CallerRights = Object.freeze({ ...rights, spent: `limits.calls = ${limits.calls}` });
  /** Counts one call, and says as whom it is made. */
  const counted = () => {
    const { ok, near } = takeCall(account);
    if (near) emit({ type: "budget", ...near, caller: id });
    return ok ? mine : { ...mine, rights: spent };
  };
  const folder = workspace === undefined ? null : workspaces.find(workspace, id);
  let below: RuntimeInternals | null = null;
  const open = async (): Promise<RuntimeInternals> => {
    if (folder === null || !inside.isOpen()) return inside;
    below = await workspaces.open(folder);
    return below;
  };
  /** Never throws: a folder that is gone is an outcome, too. */
  const calling = async <Raw>(call: (zeph: Zeph) => Promise<Outcome<Raw>>): Promise<Outcome<Raw>> => {
    const at = await open().catch((error: Error) => error);
    if (!(at instanceof Error)) return call(at.zeph);
    return { ok: false, callId: randomUUID(), error: new ToolError("permanent_failure", at.message), decision: UNJUDGED };
  };
  const isDenied = (tool: string) => {
    const rules = listsFor(permissions ?? {}, tool);
    return rules.length > 0 && rules.every(({ action }) => action === "deny") && rules.some(({ pattern }) => /^\*\*?$/.test(pattern));
  };
  const view: CallerView = {
    id,
    call: ((tool: string | AnyTool, args: unknown, given?: CallOptions) =>
      calling((at) => at.call(tool as never, args as never, { ...given, ...counted() }))) as CallerView["call"],
    callAny: (tool, args, given) => calling((at) => at.callAny(tool, args, { ...given, ...counted() })),
    answer: (callId, answer, given) => calling((at) => at.answer(callId, answer, { ...given, trust, rights: counted().rights })),
    openQuestions: async () => (await (await open()).zeph.openQuestions()).filter(({ caller }) => caller.rights?.id === id),
    dryRun: (command, given) => calling((at) => at.dryRun(command, { ...given, ...counted() })),
    judge: async (tool, args, given) => (await open()).zeph.judge(tool, args, { ...given, ...mine }),
    tools: () => zeph.tools().filter(({ name }) => !isDenied(name)),
    toAiSdkTools: (chosen) => aiSdkTools(view, chosen),
    turn: async (work) => (await open()).zeph.turn(work),
    takeCompletions: () => (below ?? inside).background.of(runOwner({ rights })).takeCompletions(),
    stats: () => ({ ...zeph.stats(), egress: (below ?? inside).egress(id) }),
    onEvent(listener) {
      const running = new Set<string>();
      return listen((event) => {
        if (event.type === "tool_start" && event.caller === id) running.add(event.request.id);
        if (running.has(callOf(event) ?? "") || (isCallers(event) && event.caller === id)) listener(event);
        if (event.type === "tool_end") running.delete(event.request.id);
      });
    },
  };
  rememberOpened(view, { open, caller: mine, account });
  return view;
}

/** Events outside of calls that name their caller. */
const isCallers = (event: ZephEvent) =>
  event.type === "budget" || event.type === "run_start" || event.type === "run_end" || event.type === "egress";

const TRUST: readonly unknown[] = ["untrusted", "provisional", "trusted"];
const ACTIONS: readonly unknown[] = ["allow", "ask", "deny"];
const KNOWN: readonly string[] = ["id", "trust", "permissions", "quota", "limits", "workspace"];

function assertCaller({ id, trust, permissions, quota, limits = {}, workspace: _folder, ...more }: CallerOptions): void {
  const [other] = Object.keys(more);
  if (other !== undefined) throw new TypeError(`A caller has no "${other}". It has ${KNOWN.join(", ")}.`);
  if (typeof id !== "string" || id.trim() === "") throw new TypeError("A caller needs an id, so that its calls can be told from others.");
  if (trust !== undefined && !TRUST.includes(trust)) throw new TypeError(`"${trust}" is no trust. It is ${TRUST.join(", ")}.`);
  if (quota !== undefined && !(Number.isInteger(quota) && quota >= 0))
    throw new TypeError(`quota must be a whole number from 0 on, not ${quota}.`);
  assertLimits(limits);
  for (const [tool, rules] of Object.entries(permissions ?? {})) {
    const problem = toolKeyProblem(tool);
    if (problem !== null) throw new TypeError(`A caller's rules: "${tool}" ${problem}.`);
    for (const { pattern, action } of rules)
      if (typeof pattern !== "string" || pattern === "" || !ACTIONS.includes(action))
        throw new TypeError(`A rule of ${tool} needs a pattern and an action: ${ACTIONS.join(", ")}.`);
  }
}
