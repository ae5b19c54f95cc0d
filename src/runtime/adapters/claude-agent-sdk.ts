import type { HookMode, HookMoment } from "../../hook/client.ts";
import { canonicalJson, isRecord, parseJson } from "../../text/json.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import { findOpened } from "../callers/opened-runtimes.ts";
import { answerHook } from "../hook/answer-hook.ts";
import type { Zeph } from "../runtime.ts";
import { placedInput } from "./claude-agent-input.ts";
import { createToolServer } from "./claude-agent-server.ts";
import { createOwnTools, type OwnTools, type OwnToolsOf, type ToolsOptions, WHY_NOT } from "./own-tools.ts";

/** `canUseTool` of the Claude Agent SDK: puts a question to a person. */
export type ClaudeCanUseTool = (toolName: string, input: Record<string, unknown>, options: any) => Promise<any>;

/** A list of callbacks of the Claude Agent SDK for one event. */
export interface ClaudeHookMatcher {
  hooks: ((input: any, toolUseID: string | undefined, options: any) => Promise<any>)[];
  /** Seconds. */
  timeout: number;
  /** A callback that fails lets nothing through. */
  onFailure: "block";
}

/** Options for `query` of the Claude Agent SDK: `query({ prompt, options: { ...ours } })`. */
export interface ClaudeAgentOptions {
  hooks: Record<"PreToolUse" | "PostToolUse" | "PostToolUseFailure", ClaudeHookMatcher[]>;
  /** Absent where the program gave none: what needs a yes is refused then. */
  canUseTool?: ClaudeCanUseTool;
}

/** The same with Zeph's own tools, as a server inside of the process. */
export interface ClaudeAgentTools extends ClaudeAgentOptions {
  /** Its instance is a server of MCP. The type has no name outside a package that we do not depend on. */
  mcpServers: Record<string, { type: "sdk"; name: string; instance: any }>;
}

/** Which of Zeph's tools Claude is given, and who is asked. */
export interface ClaudeToolsOptions extends Omit<ToolsOptions, "approval"> {
  /** Puts the questions, as the Claude Agent SDK takes it. Without it a call that needs a yes is refused. */
  readonly canUseTool?: ClaudeCanUseTool;
  /** The name of the server: Claude knows the tools as `mcp__<name>__read`. Default: `zeph`. */
  readonly server?: string;
}

/** What is judged besides Zeph's own tools, and who is asked. */
export interface ClaudeGovernOptions extends Pick<ClaudeToolsOptions, "canUseTool"> {
  /** Gives Claude Zeph's own tools as well, as `toClaudeAgentTools` does. */
  readonly tools?: Omit<ClaudeToolsOptions, "canUseTool">;
}

/** Zeph's tools for `query` of the Claude Agent SDK. A call that needs a yes is put to `canUseTool`. */
export function toClaudeAgentTools(zeph: OwnToolsOf, { canUseTool, ...tools }: ClaudeToolsOptions = {}): ClaudeAgentTools {
  const served = serveTools(zeph, tools);
  return { mcpServers: served.mcpServers, ...optionsFor({ served, canUseTool }) };
}

/**
 * Claude's own tools (Bash, Read, Write and the rest) and those of other servers behind Zeph's door: each call is judged and written down before the Claude
 * Agent SDK looks at its own rules, `canUseTool` is asked where a rule wants a yes, and what a tool printed has no secrets in it.
 * What no rule speaks of is left to the permissions of the Claude Agent SDK.
 */
export function governClaudeAgent(zeph: Zeph, { canUseTool, tools }: ClaudeGovernOptions = {}): ClaudeAgentOptions | ClaudeAgentTools {
  const served = tools && serveTools(zeph, tools);
  return { ...(served && { mcpServers: served.mcpServers }), ...optionsFor({ served, governor: createBuiltIns(zeph), canUseTool }) };
}

/** Calls that a person said yes to. More are forgotten, and asked about again. */
const MOST_APPROVED = 1000;
const HOOK_SECONDS = 60;

interface ServedTools {
  readonly mcpServers: ClaudeAgentTools["mcpServers"];
  readonly own: OwnTools;
  /** The name of ours that Claude means; null for a tool of somebody else. */
  nameOf(toolName: unknown, provenance: unknown): string | null;
  approve(callId: string): void;
}

function serveTools(zeph: OwnToolsOf, { server = "zeph", ...options }: Omit<ClaudeToolsOptions, "canUseTool">): ServedTools {
  const own = createOwnTools(zeph, "claude-agent-sdk", options);
  const approved = new Map<string, true>();
  const prefix = `mcp__${server}__`;
  return {
    own,
    mcpServers: { [server]: { type: "sdk", name: server, instance: createToolServer(server, own, (id) => approved.has(id)) } },
    nameOf(toolName, provenance) {
      // A server of the same name from somebody's settings is not ours.
      if (isRecord(provenance) && provenance.source !== "sdk") return null;
      return typeof toolName === "string" && toolName.startsWith(prefix) ? toolName.slice(prefix.length) : null;
    },
    approve: (callId) => void keepRecent(approved, callId, true, MOST_APPROVED),
  };
}

/** Answers in the words of Claude's hooks; null where there is nothing to say. */
interface BuiltIns {
  answer(event: HookMoment, input: Readonly<Record<string, unknown>>): Promise<Record<string, unknown> | null>;
  /** The same about a call that was answered before and is now to be made with other arguments. */
  answerAgain(callId: string, tool: string, args: unknown): Promise<Record<string, unknown> | null>;
}

function createBuiltIns(zeph: Zeph): BuiltIns {
  const opened = findOpened(zeph);
  if (opened.caller) throw new TypeError("Claude's own tools are governed by a runtime, not by the view of a caller.");
  /** Where each call was made, and in which session. */
  const heard = new Map<string, Readonly<Record<string, unknown>>>();
  const answer: BuiltIns["answer"] = async (event, given) => {
    if (event === "pre") keepRecent(heard, String(given.tool_use_id), given, MOST_APPROVED);
    const inside = await opened.open();
    const input = placedInput(given, inside.cwd);
    // After the call the output is shortened as well; before it, there are no walls of ours to speak of.
    const mode: HookMode = event === "pre" ? "guard" : "filter";
    const parts = { runtimeFor: async () => inside, modeOf: () => mode };
    const { stdout, exit, stderr } = await answerHook({ v: 1, client: "claude", event, cwd: inside.cwd, input, tty: false }, parts);
    if (exit !== 0) throw new Error(stderr);
    if (stdout === "") return null;
    const said = parseJson(stdout);
    if (!isRecord(said)) throw new Error("The answer cannot be read.");
    return said;
  };
  return {
    answer,
    async answerAgain(callId, tool, args) {
      const first = heard.get(callId);
      if (!first) throw new Error("nobody judged it before");
      return answer("pre", { ...first, tool_name: tool, tool_input: args });
    },
  };
}

function optionsFor(parts: {
  readonly served?: ServedTools | undefined;
  readonly governor?: BuiltIns;
  readonly canUseTool: ClaudeCanUseTool | undefined;
}): ClaudeAgentOptions {
  const { served, governor, canUseTool } = parts;
  const matcher = (hook: (input: any, id: string | undefined) => Promise<unknown>): ClaudeHookMatcher[] => [
    { hooks: [async (input, id) => (await hook(input, id)) ?? {}], timeout: HOOK_SECONDS, onFailure: "block" },
  ];
  const isServed = (input: any): boolean => (served?.nameOf(input?.tool_name, input?.mcp_server) ?? null) !== null;
  return {
    hooks: {
      PreToolUse: matcher(async (input, callId) => {
        const tool = served?.nameOf(input?.tool_name, input?.mcp_server) ?? null;
        if (served && tool !== null) return beforeServed(served.own, { tool, args: input.tool_input, callId: callId ?? input.tool_use_id });
        return governor?.answer("pre", input).catch((error) => denied(error));
      }),
      PostToolUse: matcher(async (input) => (isServed(input) ? null : governor?.answer("post", input))),
      PostToolUseFailure: matcher(async (input) => {
        if (isServed(input)) return null;
        await governor?.answer("post", asEnded(input)).catch(() => {});
        return null;
      }),
    },
    ...(canUseTool && { canUseTool: createCanUseTool(canUseTool, served, governor) }),
  };
}

/** Zeph's own tools pass the door when they are called. Here only the question is put; all else is answered there. */
async function beforeServed(own: OwnTools, call: Parameters<OwnTools["needsYes"]>[0]): Promise<object> {
  const why = await own.needsYes(call);
  const said = why === null ? { permissionDecision: "allow" } : { permissionDecision: "ask", permissionDecisionReason: why };
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...said } };
}

/** A yes is for the arguments that were shown. With others the call is judged anew, and one that needs a yes has to be made again. */
function createCanUseTool(ask: ClaudeCanUseTool, served: ServedTools | undefined, governor: BuiltIns | undefined): ClaudeCanUseTool {
  return async (toolName, input, options) => {
    const answer: unknown = await ask(toolName, input, options);
    if (!isRecord(answer) || answer.behavior !== "allow") return answer;
    const changed = answer.updatedInput !== undefined && canonicalJson(answer.updatedInput) !== canonicalJson(input);
    if (served && (served.nameOf(toolName, options?.mcpServer) ?? null) !== null) {
      if (changed) return { behavior: "deny", message: WHY_NOT.changed };
      served.approve(String(options?.toolUseID));
      return { ...answer, updatedInput: input };
    }
    if (!changed || !governor) return answer;
    const said = await governor.answerAgain(String(options?.toolUseID), toolName, answer.updatedInput).catch((error) => denied(error));
    return said === null ? answer : { behavior: "deny", message: `${WHY_NOT.changed} ${reasonIn(said)}`.trim() };
  };
}

const reasonIn = ({ hookSpecificOutput: said }: Record<string, unknown>): string =>
  isRecord(said) ? String(said.permissionDecisionReason ?? "") : "";

/** A call that failed is told of in another event, with the error in place of the answer. */
const asEnded = ({ error, ...input }: Record<string, unknown>): Record<string, unknown> => ({
  ...input,
  hook_event_name: "PostToolUse",
  tool_response: { is_error: true, stdout: String(error ?? "") },
});

const denied = (error: unknown): Record<string, unknown> => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: `zeph did not answer (${error instanceof Error ? error.message : String(error)}); the call is not made.`,
  },
});
