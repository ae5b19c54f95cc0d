import type { BeforeAnswer, ClientEnd, ClientName, HookClient, HookedCall, HookMode, HookOutput, OtherInput } from "../../hook/client.ts";
import { SAY_NOTHING, sayNo } from "../../hook/dialect.ts";
import { findClient } from "../../hook/find-client.ts";
import { type Translated, translateCall } from "../../hook/tools.ts";
import { isRecord, parseJson } from "../../text/json.ts";
import { wholeOutputAsked } from "../filter/whole-output.ts";
import type { RuntimeInternals } from "../runtime.ts";
import { SessionError } from "../sessions/session-keeper.ts";
import { answerWithin } from "./answer-within.ts";
import { answerPost } from "./post-output.ts";
import { CALL_ITSELF, type JudgedCommand } from "./rewrite-call.ts";
import { type Ruling, strictestOf, unreadable } from "./rulings.ts";
import type { FindSession, SessionCall } from "./session-folders.ts";
import { callsOf, decideOptions, settleCall } from "./settle-call.ts";
import type { Standing } from "./standing/client-stand.ts";
import { startsOnlyShell } from "./starts-shell.ts";
import { traceHook } from "./trace-hook.ts";
import { commandToWall, mayRewrite, type WalledCall, walledAnswer, withClientRule } from "./walled-call.ts";

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
  /** The process that the client started, as the system tells it; null where it does not. It is asked where something depends on it. */
  readonly askPid?: () => Promise<number | null>;
  /** A person chose that calls are made where there is no answer. */
  readonly lenient?: boolean;
}

/** What a hook needs of a runtime. */
export type HookRuntime = Pick<RuntimeInternals, "zeph" | "config" | "liveConfig" | "redact" | "tracing" | "store">;

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
  /** What a person chose for this client, for calls in this folder. */
  modeOf(client: string, cwd: string): HookMode;
  /** The call, with the folder that its session began in. */
  readonly inSession?: FindSession;
  readonly tickets?: HookTickets;
  /** What the client's own rules say about a command, as it is written. */
  readonly standing?: (client: ClientName, call: HookedCall, command: string, pid: number | null) => Standing;
  /** For mode `walls`; without it nothing is rewritten. */
  readonly walls?: {
    /** Whether a command is one of ours, which a model has learned. */
    isOwn(command: string): boolean;
    rewrite(judged: Omit<JudgedCommand, "processes">, pid: number | null): OtherInput;
  };
  readonly limits?: Partial<HookLimits>;
  /** Told of a call that is let through because there is no answer, which is what a person chose. */
  readonly letThrough?: (what: string) => void;
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
    const session = parts.inSession ? parts.inSession(client.name, heard.call) : { call: heard.call, besides: null };
    if (heard.kind === "post" && (await Promise.resolve(session).catch(() => null)) === null) return withhold(client, heard.end);
    const { call, besides } = await session;
    const mode = parts.modeOf(client.name, call.cwd);
    if (heard.kind === "post") return await answerPostOf(client, mode, { call, besides }, heard.end, parts, limits);
    if (mode === "filter" || client.harmless.has(call.tool)) return client.writePre({ kind: "silent" });
    return client.writePre(await answerPre({ client, mode, call, besides, hasPerson: heard.hasPerson === true, input, parts, limits }));
  } catch (error) {
    const why = (error as Error)?.message ?? String(error);
    if (input.lenient !== true || event === "post")
      return fail(`zeph did not answer (${why}); the call is not made. \`zeph hook status\` says more.`);
    parts.letThrough?.(`A call of ${client.name} was let through without an answer (--on-failure allow): ${why}`);
    return SAY_NOTHING;
  }
}

const UNKNOWN = "zeph did not answer: it knows no such client or event. The call is not made.";

interface PreCall {
  readonly client: HookClient;
  readonly mode: HookMode;
  readonly call: HookedCall;
  readonly besides: HookedCall | null;
  readonly hasPerson: boolean;
  readonly input: HookInput;
  readonly parts: HookParts;
  readonly limits: HookLimits;
}

async function answerPre({ client, mode, call, besides, hasPerson, input, parts, limits }: PreCall): Promise<BeforeAnswer> {
  const { tty, askPid = async () => null } = input;
  const translated = translateCall(client.tools, call);
  const command = parts.walls && commandToWall(mode, client, call, translated);
  const asking = command || client.can.ask === "terminal" ? askPid() : Promise.resolve(null);
  const texts = "calls" in translated ? translated.calls.map(({ args }) => args.command) : [];
  if (texts.some((text) => typeof text === "string" && parts.walls?.isOwn(text))) return { kind: "deny", why: CALL_ITSELF };
  const runtime = await answerWithin(parts.runtimeFor(call.cwd), limits.openMs);
  const said = { client, call, tty: tty === true, parts, runtime };
  const isAskable = { shown: true, terminal: tty === true, extension: hasPerson, never: false }[client.can.ask];
  const elsewhere = besides && (await answerWithin(parts.runtimeFor(besides.cwd), limits.openMs));
  const judge = async (walled: WalledCall | null) => {
    // No program is started for it, and only what this session's commands printed is shown.
    if (walled && wholeOutputAsked(walled.command) !== null) return SHOWS_OWN;
    const ruling = await judged({ client, mode, call, translated, walled }, runtime, limits);
    if (!besides || !elsewhere) return ruling;
    const there = { client, mode, call: besides, translated: translateCall(client.tools, besides), walled };
    return strictestOf([ruling, await judged(there, elsewhere, limits)]);
  };
  const pid = await asking;
  const asksWhole = typeof command === "string" && wholeOutputAsked(String(call.args.command)) !== null;
  const walled = wallFor({ client, call, command: asksWhole ? String(call.args.command) : (command ?? null), parts, pid, runtime });
  if (!walled) return saidOf(await judge(null), { ...said, isAskable: isAskable && mayAsk(client, call, parts, pid) });
  const ruling = withClientRule(await judge(walled), client, walled.standing);
  // Where a question cannot come with another input, what is asked about is the command as it is, without our walls.
  if (ruling.verdict === "ask" && isAskable && !client.can.asksWithInput)
    return saidOf(withClientRule(await judge(null), client, walled.standing), { ...said, isAskable });
  const rewrite = (agreed: boolean, waits: boolean) => parts.walls!.rewrite({ client, call, command: walled.command, agreed, waits }, pid);
  const allowsNew = ({ args }: OtherInput) =>
    [String(args.command), String(args.command).split(" # ")[0]!].some(
      (text) => parts.standing!(client.name, call, text, pid).verdict === "allow",
    );
  return saidOf(ruling, { ...said, isAskable, walled: { ...walled, rewrite, allowsNew } });
}

const SHOWS_OWN: Ruling = { verdict: "allow", gate: null, why: null, told: null };

/** The command, where it may run behind our walls in place of the client's own shell. */
function wallFor({
  client,
  call,
  command,
  parts,
  pid,
  runtime,
}: Pick<PreCall, "client" | "call" | "parts"> & {
  readonly command: string | null;
  readonly pid: number | null;
  readonly runtime: HookRuntime;
}): WalledCall | null {
  if (command === null || !parts.walls || !parts.standing) return null;
  const standing = parts.standing(client.name, call, String(call.args.command), pid);
  return mayRewrite(client, standing, answersPrompts(runtime)) ? { command, standing } : null;
}

const answersPrompts = ({ liveConfig }: HookRuntime): boolean => liveConfig().clients.answer_prompts;

/** In Gemini a question of a hook is put in place of what a rule of Gemini's denies. There it is asked only what no such rule speaks of. */
function mayAsk({ can, name }: HookClient, call: HookedCall, { standing }: HookParts, pid: number | null): boolean {
  if (can.ask !== "terminal" || !standing || typeof call.args.command !== "string") return true;
  const { verdict } = standing(name, call, call.args.command, pid);
  return verdict !== "deny" && verdict !== "unsure";
}

/** The calls a client's call comes to, each judged and written down; the strictest word counts. */
async function judged({ client, mode, call, translated, walled }: JudgedCall, runtime: HookRuntime, limits: HookLimits): Promise<Ruling> {
  const { tools } = runtime.liveConfig();
  const asksModel = tools.adversarial_policy.enabled || tools.governance.block_risky_patterns;
  const stop = new AbortController();
  const options = {
    ...decideOptions(client, walled ? "ours" : "none", call),
    ...(walled && { rewritten: true as const }),
    record: true,
    signal: stop.signal,
  } as const;
  const work = async () => {
    const found: Ruling[] = translated.kind === "changed" ? [changed(call, translated.why)] : [];
    for (const one of callsOf(client, call, translated)) {
      const { verdict, why } = walled?.standing ?? {};
      const rule = verdict === "deny" || verdict === "ask" ? `the client's own rule: ${verdict}, ${why}` : null;
      const text = translated.kind === "changed" ? `client changed: ${translated.why}` : rule;
      const note = text === null ? {} : { note: text };
      found.push(await runtime.zeph.decide(one.tool, one.args, { ...options, ...note }).catch(unreadable));
    }
    if (client.can.ask === "never" && mode !== "filter" && !walled && "calls" in translated && translated.calls.some(startsOnlyShell))
      found.push(ONLY_SHELL);
    return strictestOf(found);
  };
  return answerWithin(traceHook(runtime, client, call, work), asksModel ? limits.consultMs : limits.judgeMs, stop);
}

interface JudgedCall {
  readonly client: HookClient;
  readonly mode: HookMode;
  readonly call: HookedCall;
  readonly translated: Translated;
  readonly walled: WalledCall | null;
}

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

interface SaidFor {
  readonly client: HookClient;
  readonly call: HookedCall;
  readonly isAskable: boolean;
  readonly tty: boolean;
  readonly parts: HookParts;
  readonly runtime: HookRuntime;
  readonly walled?: WalledCall & {
    rewrite(agreed: boolean, waits: boolean): OtherInput;
    /** Whether a rule of the client allows the new text, which stands for any command. */
    allowsNew(other: OtherInput): boolean;
  };
}

const ALLOWS_ALL =
  "zeph client: no rule speaks of this command, but one of the agent's own rules allows everything that runs behind Zeph's walls (zeph-hook exec). Take that rule out of its settings.";

async function saidOf(
  { verdict, gate, why, told }: Ruling,
  { client, call, isAskable, tty, parts, runtime, walled }: SaidFor,
): Promise<BeforeAnswer> {
  // A model is told less than a person, where a gate says so.
  const text = `zeph ${gate}: ${(verdict === "ask" && tty ? why : (told ?? why)) ?? "no reason is known"}`;
  if (verdict === "deny") return { kind: "deny", why: text };
  const permitted = (agreed: boolean): BeforeAnswer => {
    if (!walled) return { kind: "silent" };
    const answers = answersPrompts(runtime) || agreed;
    const waits = walled.standing.verdict !== "allow" && !answers && !walled.standing.promptsNobody;
    const other = walled.rewrite(agreed, waits);
    if (waits && walled.allowsNew(other))
      return isAskable && client.can.asksWithInput ? { kind: "ask", why: ALLOWS_ALL, ...other } : { kind: "deny", why: ALLOWS_ALL };
    return walledAnswer(client, walled.standing, other, answers);
  };
  if (verdict === "allow") return permitted(false);
  if (isAskable) return { kind: "ask", why: text, ...walled?.rewrite(true, true) };
  const question: TicketQuestion = { ...call, cwd: call.at ?? call.cwd, client: client.name, why: why ?? text };
  if (!parts.tickets) return { kind: "deny", why: `${text} It needs a yes, and nobody can be asked here.` };
  if (await parts.tickets.take(question)) return permitted(true);
  const id = await parts.tickets.keep(question);
  return { kind: "deny", why: `${text} It needs a yes: a person runs \`zeph hook approve ${id}\`, then repeat the same call.` };
}

/** Where the client takes another output. */
const withhold = (client: HookClient, end: ClientEnd): HookOutput =>
  client.writePost(client.can.replaceOutput === "no" ? { kind: "keep" } : { kind: "replace", text: FORGOTTEN }, end);

const FORGOTTEN = "zeph: it could not be stored that this output was read, so it is withheld.";

async function answerPostOf(
  client: HookClient,
  mode: HookMode,
  { call, besides }: SessionCall,
  end: ClientEnd,
  parts: HookParts,
  { openMs, judgeMs }: HookLimits,
): Promise<HookOutput> {
  const translated = translateCall(client.tools, call);
  const open = (cwd: string) => answerWithin(parts.runtimeFor(cwd), openMs).catch(() => null);
  const runtime = await open(call.cwd);
  // What ran behind our walls was settled there, under its own text.
  const isOurs = typeof call.args.command === "string" && parts.walls?.isOwn(call.args.command) === true;
  if (runtime && !isOurs && !client.harmless.has(call.tool)) {
    const settle = async () => {
      await settleCall(runtime, client, call, end);
      const elsewhere = besides && (await open(besides.cwd));
      if (elsewhere) await settleCall(elsewhere, client, besides, end);
    };
    // What happened cannot be undone, and the model may read it: only secrets are held back, and what nobody would remember that it was read.
    const failure = await answerWithin(settle(), judgeMs).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure instanceof SessionError) return withhold(client, end);
  }
  return client.writePost(await answerPost({ client, mode, call, end, translated, runtime, isOurs, limitMs: judgeMs }), end);
}
