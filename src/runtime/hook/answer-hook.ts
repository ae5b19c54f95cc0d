import { randomUUID } from "node:crypto";
import type { BeforeAnswer, ClientEnd, HookClient, HookedCall, HookMode, HookOutput } from "../../hook/client.ts";
import { SAY_NOTHING, sayNo } from "../../hook/dialect.ts";
import { findClient } from "../../hook/find-client.ts";
import { type StandInCall, type Translated, translateCall } from "../../hook/tools.ts";
import { isRecord, parseJson } from "../../text/json.ts";
import type { RuntimeInternals } from "../runtime.ts";
import { answerWithin } from "./answer-within.ts";
import type { DecideOptions } from "./client-decisions.ts";
import { answerPost } from "./post-output.ts";
import { type Ruling, strictestOf, unreadable } from "./rulings.ts";
import { startsOnlyShell } from "./starts-shell.ts";

/** What the small program that a client starts sends on. */
export interface HookInput {
  readonly v: 1;
  readonly client: string;
  /** `pre` or `post`. */
  readonly event: string;
  /** Where that program was started. The client's own word about it counts for more. */
  readonly cwd: string;
  /** What the client wrote to its stdin: the text, or the JSON in it. */
  readonly input: unknown;
  /** Whether somebody sits before the client who can be asked. */
  readonly tty: boolean;
}

/** What a hook needs of a runtime. */
export type HookRuntime = Pick<RuntimeInternals, "zeph" | "config" | "redact">;

/** Questions that a client cannot put. Each is about one call in one session and folder. */
export interface HookTickets {
  /** Whether a person said yes to this very call, and nobody has used that yet. */
  take(question: TicketQuestion): Promise<boolean>;
  /** Keeps the question, and says under which id a person answers it. */
  keep(question: TicketQuestion): Promise<string>;
}
export interface TicketQuestion extends Pick<HookedCall, "cwd" | "session" | "tool" | "args"> {
  readonly client: string;
  readonly why: string;
}

export interface HookParts {
  /** The runtime of a folder: its settings, its trust. */
  runtimeFor(cwd: string): Promise<HookRuntime>;
  modeOf(client: string): HookMode;
  readonly tickets?: HookTickets;
  /** In mode `walls`: other arguments that run a permitted command behind our walls; null where it is left as it is. Asked about commands alone. */
  readonly rewrite?: (call: HookedCall, client: HookClient) => Promise<BeforeAnswer | null>;
  readonly limits?: Partial<HookLimits>;
}

export interface HookLimits {
  /** To open the runtime of a folder that nobody has opened yet. */
  readonly openMs: number;
  /** To a verdict, and where a gate asks a model. */
  readonly judgeMs: number;
  readonly consultMs: number;
}
const LIMITS: HookLimits = { openMs: 20_000, judgeMs: 3_000, consultMs: 20_000 };

/** Never rejects, and never lets a call run because of a failure of our own. */
export async function answerHook(input: HookInput, parts: HookParts): Promise<HookOutput> {
  const client = findClient(String(input?.client));
  const { event } = input ?? {};
  if (!client || (event !== "pre" && event !== "post")) return sayNo(UNKNOWN);
  const fail = (why: string) => (event === "pre" ? client.writePre({ kind: "deny", why }) : SAY_NOTHING);
  try {
    if (input.v !== 1 || typeof input.cwd !== "string") return fail(UNKNOWN);
    const sent = typeof input.input === "string" ? parseJson(input.input) : input.input;
    if (!isRecord(sent)) return fail(`zeph could not read what ${client.name} sent, so the call is not made.`);
    const heard = client.read(event, sent, { cwd: input.cwd });
    if (heard.kind === "unread") return fail(`zeph: ${heard.why}, so the call is not made.`);
    const limits = { ...LIMITS, ...parts.limits };
    const mode = parts.modeOf(client.name);
    if (heard.kind === "post") return await answerPostOf(client, mode, heard.call, heard.end, parts, limits);
    if (mode === "filter" || client.harmless.has(heard.call.tool)) return client.writePre({ kind: "silent" });
    const isAskable = { shown: true, terminal: input.tty === true, extension: heard.hasPerson === true, never: false }[client.can.ask];
    const runtime = await answerWithin(parts.runtimeFor(heard.call.cwd), limits.openMs);
    const ruling = await judged(client, mode, heard.call, runtime, limits);
    return client.writePre(await saidOf(ruling, { client, call: heard.call, mode, isAskable, tty: input.tty === true, parts }));
  } catch (error) {
    return fail(
      `zeph did not answer (${(error as Error)?.message ?? String(error)}); the call is not made. \`zeph hook status\` says more.`,
    );
  }
}

const UNKNOWN = "zeph did not answer: it knows no such client or event. The call is not made.";

/** The calls a client's call comes to, each judged and written down; the strictest word counts. */
async function judged(client: HookClient, mode: HookMode, call: HookedCall, runtime: HookRuntime, limits: HookLimits): Promise<Ruling> {
  const { tools } = runtime.config;
  const asksModel = tools.adversarial_policy.enabled || tools.governance.block_risky_patterns;
  const stop = new AbortController();
  const translated = translateCall(client.tools, call.tool, call.args);
  const options = { ...decideOptions(client, mode, call), record: true, signal: stop.signal } as const;
  const work = async () => {
    const found: Ruling[] = translated.kind === "changed" ? [changed(call, translated.why)] : [];
    for (const one of callsOf(client, call, translated)) {
      const note = translated.kind === "changed" ? { note: `client changed: ${translated.why}` } : {};
      found.push(await runtime.zeph.decide(one.tool, one.args, { ...options, ...note }).catch(unreadable));
    }
    if (client.can.ask === "never" && mode === "guard" && "calls" in translated && translated.calls.some(startsOnlyShell))
      found.push(ONLY_SHELL);
    return strictestOf(found);
  };
  return answerWithin(work(), asksModel ? limits.consultMs : limits.judgeMs, stop);
}

/** A tool that nobody knows, or knows no longer, is judged by its own name, which none of our own tools has. */
const callsOf = (client: HookClient, { tool, args }: HookedCall, translated: Translated): readonly StandInCall[] => {
  const foreign = { tool: tool.startsWith("mcp") ? tool : `${client.name}:${tool}`, args };
  if (translated.kind === "unknown") return [foreign];
  return translated.kind === "calls" ? translated.calls : [...translated.calls, foreign];
};

const decideOptions = (client: HookClient, mode: HookMode, call: HookedCall): DecideOptions => ({
  callId: call.callId ?? randomUUID(),
  clientTool: call.tool,
  client: {
    name: client.name,
    session: call.session,
    walls: mode === "walls" ? "ours" : "none",
    unruled: client.can.asksItself ? "left to it" : "asked about",
  },
});

const changed = ({ tool }: HookedCall, why: string): Ruling => ({
  verdict: "ask",
  gate: "hook",
  why: `${tool} is called in a way that is not known: ${why}.`,
  told: null,
});

const ONLY_SHELL: Ruling = {
  verdict: "deny",
  gate: "hook",
  why: "It only starts a shell or an interpreter, and what is typed into it later passes no hook. Run the command itself.",
  told: null,
};

async function saidOf(
  { verdict, gate, why, told }: Ruling,
  {
    client,
    call,
    mode,
    isAskable,
    tty,
    parts,
  }: {
    readonly client: HookClient;
    readonly call: HookedCall;
    readonly mode: HookMode;
    readonly isAskable: boolean;
    readonly tty: boolean;
    readonly parts: HookParts;
  },
): Promise<BeforeAnswer> {
  // A model is told less than a person, where a gate says so.
  const text = `zeph ${gate}: ${(verdict === "ask" && tty ? why : (told ?? why)) ?? "no reason is known"}`;
  if (verdict === "deny") return { kind: "deny", why: text };
  const rewritten = mode === "walls" ? await parts.rewrite?.(call, client) : null;
  if (verdict === "allow") return rewritten ?? { kind: "silent" };
  if (isAskable) return { kind: "ask", why: text };
  const question: TicketQuestion = { ...call, client: client.name, why: why ?? text };
  if (!parts.tickets) return { kind: "deny", why: `${text} It needs a yes, and nobody can be asked here.` };
  if (await parts.tickets.take(question)) return rewritten ?? { kind: "silent" };
  const id = await parts.tickets.keep(question);
  return { kind: "deny", why: `${text} It needs a yes: a person runs \`zeph hook approve ${id}\`, then repeat the same call.` };
}

async function answerPostOf(
  client: HookClient,
  mode: HookMode,
  call: HookedCall,
  end: ClientEnd,
  parts: HookParts,
  { openMs, judgeMs }: HookLimits,
): Promise<HookOutput> {
  const translated = translateCall(client.tools, call.tool, call.args);
  const runtime = await answerWithin(parts.runtimeFor(call.cwd), openMs).catch(() => null);
  if (runtime && !client.harmless.has(call.tool)) {
    const { text, outcome, exitCode, durationMs } = end;
    const ended = {
      outcome,
      ...(text !== null && { text }),
      ...(exitCode !== undefined && { exitCode }),
      ...(durationMs !== undefined && { durationMs }),
    };
    const settle = async () => {
      for (const one of callsOf(client, call, translated))
        await runtime.zeph.settle(one.tool, one.args, ended, decideOptions(client, mode, call));
    };
    // What happened cannot be undone, and the model may read it: only secrets are held back.
    await answerWithin(settle(), judgeMs).catch(() => {});
  }
  return client.writePost(await answerPost({ client, mode, call, end, translated, runtime, limitMs: judgeMs }), end);
}
