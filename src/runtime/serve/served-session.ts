import { randomUUID } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { takesNothing } from "../../catalog/think-fields.ts";
import { answerText, streamsJson } from "../../core/answer.ts";
import type { Confirm, ZephEvent } from "../../core/event.ts";
import type { Outcome } from "../../core/layer.ts";
import type { Elicit } from "../../core/ports/elicitation.ts";
import type { Store } from "../../core/ports/store.ts";
import type { TurnContext } from "../../core/turn.ts";
import { type Offer, type OngoingCall, SessionRefused, UnknownTool } from "../../front/mcp-server/offer.ts";
import { readElicited } from "../../question/elicitation.ts";
import { viewQuestion } from "../../question/question.ts";
import { didYouMean } from "../../text/nearest.ts";
import { waitAtMost } from "../../text/wait-within.ts";
import { endedText } from "../../tools/command-output.ts";
import { requestOf } from "../calls.ts";
import { openRuntime } from "../create.ts";
import type { OpenOptions, RuntimeInternals } from "../runtime.ts";
import { createListWatch } from "./list-watch.ts";
import { createOwnTexts } from "./own-texts.ts";
import { callBehind, formAnswer, forwardedQuestion, questionForm } from "./questions.ts";
import { createSessionRecord } from "./session-record.ts";
import { mcpTool } from "./tools.ts";

export interface ServedRuntime {
  /** The session's name in the audit log. */
  readonly id: string;
  readonly workspace: string;
  readonly settings: ServedSettings;
  /** One for all sessions: otherwise each line of the audit log would be told to every one of them. */
  readonly store: Store;
  warn(message: string): void;
  /** How long the first list of tools waits for servers behind Zeph that nothing is known of yet. */
  readonly meetingMs?: number;
  /** Nobody is asked through the client: every question is kept for `zeph answer`. */
  readonly later?: boolean | undefined;
  /** The client puts each call to its person: what no rule speaks of in the workspace is not asked about again. */
  readonly asks?: "the client" | undefined;
  /** The session is a person's at a gateway: others govern it, and answer its questions. */
  readonly governed?: GovernedServing;
}

export interface GovernedServing {
  /** The person, as the audit log names them. */
  readonly caller: string;
  readonly options: Pick<OpenOptions, "fleet" | "ship">;
  /** Puts a question to another person. `redact` takes secrets out of what is stored. */
  confirm(redact: (text: string) => string): Confirm;
  close(): Promise<void>;
}

export type ServedSettings = Pick<OpenOptions, "config" | "set" | "store" | "gates" | "live">;

/** A client asks for the tools once; servers that are slow to meet come later. */
const LONGEST_MEETING_MS = 10_000;

/** A runtime of its own for one session of an MCP client. The session is one turn: where a command goes with `cd`, the next one starts. */
export async function openServedSession(served: ServedRuntime): Promise<Offer> {
  const { id, workspace, settings, store, warn, meetingMs = LONGEST_MEETING_MS, later = false, asks, governed } = served;
  const calls = new Map<string, Call>();
  const record = createSessionRecord();
  const onEvent = (event: ZephEvent) => {
    if (event.type === "progress") calls.get(event.callId)?.during.tell(event.progress);
    if (event.type === "warning") warn(event.message);
    if (event.type === "reload" && event.problem !== undefined) warn(event.problem);
  };
  const elicit: Elicit = async (asked, signal) => {
    const call = callBehind(asked.from, calls.values());
    return readElicited(asked, (await call?.during.ask({ params: forwardedQuestion(asked), signal })) ?? null);
  };
  const confirm: Confirm = async (question, { signal }) => {
    const view = viewQuestion(question);
    if ("tooLong" in view) return { unasked: view.tooLong };
    const { during } = calls.get(question.call_id) ?? {};
    const isAsked = during?.asks.form === true && !later;
    // What a call that runs wants to know cannot wait.
    if (during && !isAsked)
      return question.wants === undefined && question.whole_repository === undefined ? "later" : { unasked: HOW_TO_ALLOW };
    return formAnswer(view, (await during?.ask({ params: questionForm(view), signal })) ?? null);
  };
  let redact = (text: string): string => text;
  const other = governed?.confirm((text) => redact(text));
  const inside = await openRuntime({
    cwd: workspace,
    ...settings,
    shared: store,
    nested: true,
    // Whoever asks at a gateway never answers.
    ...(other
      ? { confirm: (question, context) => whileTelling(calls.get(question.call_id)?.during, () => other(question, context)) }
      : { confirm, elicit }),
    ...governed?.options,
    audit: record.sink,
    onEvent,
    watch: true,
    servers: "later",
  });
  const { zeph, parts, session } = inside;
  redact = zeph.redact;
  // The runtime looks the folder up itself, and that look counts from here on: before anything is started there.
  if (inside.cwd !== workspace) {
    await zeph.close();
    throw movedAway(workspace);
  }
  await waitAtMost(zeph.mcp.meet(), meetingMs);
  for (const message of zeph.warnings) warn(message);
  const turn = session.begin();
  const context = () => turn.current({ callerId: governed?.caller ?? id, front: true, phase: "executor", ...(asks && { asks }) });
  const hasSkills = parts.skills.any();
  // A tool that needs a model of our own, or a conversation with one, is not for a client that has its own.
  const isUsable = (name: string) => {
    const { needs, about } = inside.facets(name);
    return needs === "nothing" && (hasSkills || about !== "skill");
  };
  const listed = () => zeph.tools().filter(({ name }) => isUsable(name));
  const tools = createListWatch(listed);
  const unwatch = zeph.onToolsChanged(tools.look);
  const thoughtless = (name: string) => listed().some((tool) => tool.name === name && takesNothing(tool.parameters));

  return {
    tools: () => listed().map(mcpTool),
    async call(name, args, during) {
      const callId = randomUUID();
      if (inside.facets(name).needs !== "nothing") throw unknown(name, listed());
      const request = requestOf(callId, name, args, thoughtless);
      if (!request) return thoughtAlone(name);
      calls.set(callId, { name, during });
      try {
        const outcome = await inside.call(request, { turn: context(), signal: during.signal, repeats: true });
        if (!outcome.ok && outcome.error.category === "tool_not_found") throw unknown(name, listed());
        return await resultOf(outcome, inside, context());
      } finally {
        calls.delete(callId);
        tools.look();
      }
    },
    subscribe: tools.subscribe,
    texts: createOwnTexts({ inside, record, asks, isUsable }),
    async close() {
      unwatch();
      turn.end();
      await zeph.close();
      await governed?.close();
    },
  };
}

const STILL_WAITING_MS = 10_000;

/** A client that hears nothing for a while gives up. */
async function whileTelling<T>(during: OngoingCall | undefined, work: () => T | Promise<T>): Promise<T> {
  const tell = () => during?.tell({ message: "Waiting for another person to allow this." });
  const timer = setInterval(tell, STILL_WAITING_MS);
  tell();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

interface Call {
  readonly name: string;
  readonly during: OngoingCall;
}

export const movedAway = (workspace: string) =>
  new SessionRefused(`${workspace} is no longer the folder it was when this session began. Begin a new session.`);

/** What the client's model reads. What ended in the background meanwhile is told with the next result: there is no other way to it. */
async function resultOf(outcome: Outcome, inside: RuntimeInternals, turn: TurnContext): Promise<CallToolResult> {
  const { output } = outcome;
  const notes: string[] = [];
  for (const completion of inside.zeph.takeCompletions()) {
    const { runId, ran } = completion;
    notes.push(`${endedText(runId, ran)}\n${await inside.shown(completion, turn)}`);
  }
  const about = {
    call_id: outcome.callId,
    ...(output?.exitCode !== undefined && { exit_code: output.exitCode }),
    ...(output?.truncated && { truncated: true }),
    // Beside the text and never as structuredContent: clients show that to the model in place of the text.
    ...streamsJson(output),
    ...(output?.overflow && { overflow: output.overflow }),
    ...(output?.walls && { sandbox: output.walls }),
    ...(!outcome.ok && { error: outcome.error.category }),
  };
  return {
    content: [
      { type: "text", text: answerText(outcome) },
      ...(output?.media ?? []).map(({ kind, data, mediaType }) => ({ type: kind, data, mimeType: mediaType })),
      ...notes.map((part) => ({ type: "text" as const, text: part })),
    ],
    ...(!outcome.ok && { isError: true }),
    _meta: { "zeph/call": about },
  };
}

const HOW_TO_ALLOW =
  'This client cannot put questions to the person (MCP elicitation), so nothing was run. They can allow such calls beforehand: with a rule under [tools.permissions] in Zeph\'s configuration file, which counts at once, or with autonomy = "full" there, which answers every question with yes. `zeph config path` says where the file is.';

const thoughtAlone = (name: string): CallToolResult => ({
  content: [{ type: "text", text: `${name} was given a thought and no arguments. Nothing was run.` }],
  isError: true,
});

const unknown = (name: string, tools: readonly { readonly name: string }[]) =>
  new UnknownTool(
    `Unknown tool: ${name}.${didYouMean(
      name,
      tools.map((tool) => tool.name),
    )}`,
  );
