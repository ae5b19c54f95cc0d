import { randomUUID } from "node:crypto";
import * as z from "zod";
import { ToolCall } from "../../core/call.ts";
import type { Door } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import { assertKnownOptions } from "../../core/inputs/options.ts";
import { ToolRequest } from "../../core/request.ts";
import type { Caller, OpenSession } from "../../core/session.ts";
import { type AnyTool, type CallContext, defineTool, isOwnTool, NEVER } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import type { ClientCallEnd, ClientDecision, ClientFields } from "../../pipeline/client-calls.ts";
import { judge } from "../../pipeline/run.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import { DECIDE_OPTIONS } from "../library/option-names.ts";
import type { CallPath } from "../path.ts";
import { clientCaller } from "../sessions/client-session.ts";
import type { SessionKeeper } from "../sessions/session-keeper.ts";

/** Whose call is decided about, and whether that is written down. */
export interface DecideOptions extends Caller {
  /** Writes a line to the audit log, consults whoever has to be, and counts the call. Without it nothing changes, as with `judge`. */
  readonly record?: true;
  /** The id under which whoever runs the call knows it: it stands in the log, and `settle` names it again. */
  readonly callId?: string;
  readonly signal?: AbortSignal;
  /** The client's own name of the tool, where that is another one. */
  readonly clientTool?: string;
  /** Something about the call that the log shall say. */
  readonly note?: string;
  /** The client is given another command in place of this one. */
  readonly rewritten?: true;
}

export interface ClientDecisions {
  decide(tool: string, args: unknown, options?: DecideOptions): Promise<ClientDecision>;
  settle(tool: string, args: unknown, ended: ClientCallEnd, options?: DecideOptions): Promise<void>;
}

/** Tools of other agents that were judged and that Zeph does not have. More are made again. */
const MOST_FOREIGN = 200;

export function createClientDecisions({
  door,
  session,
  tools,
  path,
  sessions,
}: {
  readonly door: Door;
  readonly session: OpenSession;
  readonly tools: () => ReadonlyMap<string, AnyTool>;
  readonly path: CallPath;
  readonly sessions: SessionKeeper;
}): ClientDecisions {
  const foreign = new Map<string, AnyTool>();
  /** Of a client only our own tools are known: what it calls `mcp__x__y` need not be the server that we call so. */
  const toolFor = (name: string, { client }: DecideOptions): AnyTool | undefined => {
    const known = tools().get(name);
    if (!client || (known && isOwnTool(known))) return known;
    return keepRecent(foreign, name, foreign.get(name) ?? foreignTool(name), MOST_FOREIGN);
  };
  const callOf = (name: string, args: unknown, turn: TurnContext, options: DecideOptions): ToolCall => {
    const tool = toolFor(name, options);
    const request = ToolRequest.from({ id: options.callId ?? randomUUID(), name, args }, () => true)!;
    const call = ToolCall.parse(request, new Map(tool ? [[name, tool]] : []), path.standing(turn));
    if (call instanceof ToolError) throw call;
    return call;
  };
  return {
    async decide(tool, args, options = {}) {
      assertKnownOptions("decide", options, DECIDE_OPTIONS);
      if (options.record !== undefined && options.record !== true) throw new TypeError("record is true, or left out.");
      const turn = turnFor(session, options);
      const call = callOf(tool, args, turn, options);
      if (options.record)
        return sessions.during(turn, () => path.clientCalls.decide(call, contextFor(turn, options), args, fieldsFor(options)));
      const { trace: _trace, ...said } = await judge(door, call, turn);
      return { ...said, callId: call.id, told: said.why };
    },
    async settle(tool, args, ended, options = {}) {
      assertKnownOptions("settle", options, DECIDE_OPTIONS);
      const turn = turnFor(session, options);
      const call = callOf(tool, args, turn, options);
      await sessions.during(turn, () => path.clientCalls.settle(call, contextFor(turn, options), args, ended, fieldsFor(options)));
    },
  };
}

const contextFor = (turn: TurnContext, { signal = NEVER }: DecideOptions): CallContext => ({ signal, turn });

const fieldsFor = ({ client, clientTool, note, rewritten }: DecideOptions): ClientFields => ({
  ...(client && { toolset: `client:${client.name}` }),
  ...(clientTool !== undefined && { client_tool: clientTool }),
  ...(note !== undefined && { note }),
  ...(rewritten && { rewritten }),
});

/** What gates remember is remembered of the client's session, and the log names that one. */
function turnFor(session: OpenSession, options: DecideOptions): TurnContext {
  const { record: _r, callId: _c, signal: _s, clientTool: _t, note: _n, rewritten: _w, ...caller } = options;
  const { client } = caller;
  if (!client) return session.current(caller);
  const turn = session.current({ ...clientCaller(client.name, client.session), ...caller });
  return { ...turn, sessionId: client.session };
}

/** A tool that only its client knows: it may do anything. */
const foreignTool = (name: string): AnyTool =>
  defineTool({
    name,
    description: "A tool of another agent.",
    input: z.looseObject({}),
    effect: "unknown",
    touches: () => [{ kind: "unknown", why: `Nobody here knows what ${name} does.` }],
    run: () => Promise.reject(new ToolError("tool_not_found", `${name} is run by another agent.`)),
  });
