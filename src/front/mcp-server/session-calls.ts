import { randomBytes } from "node:crypto";
import {
  type ElicitResult,
  type InputRequest,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { createQueue } from "../../text/queue.ts";
import { readElicitResult } from "./elicit-result.ts";
import type { ClientQuestion } from "./offer.ts";
import { type CallAnswer, type CallStart, createRunningCall, type Running, type Waiting } from "./running-call.ts";

/** Everything a session has under way. */
export interface SessionCalls {
  /** Begins a call and follows it to its result or its first question. */
  begin(begun: Omit<CallStart, "inTurn">, context: ServerContext): Promise<CallAnswer>;
  /** The client comes back with an answer. A state is good once, and only for the call it was given for. */
  resume(state: string, name: string, args: unknown, context: ServerContext): Promise<CallAnswer>;
  /** How many calls there are, those included that wait for an answer. */
  busy(): number;
  stop(): void;
}

/** People need a while; but a call nobody comes back to must end. */
const QUESTION_MS = 5 * 60_000;
const MOST_CALLS = 64;
/** No tool takes more, and what walks through arguments goes as deep as they do. */
const DEEPEST = 64;

interface Call {
  readonly running: Running;
  readonly called: string;
}
interface Parked extends Call {
  readonly waiting: Waiting;
  readonly expire: NodeJS.Timeout;
}

export function createSessionCalls(questionMs = QUESTION_MS): SessionCalls {
  const running = new Set<Running>();
  const parked = new Map<string, Parked>();
  const inTurn = oneAtATime();

  /** The answer to a request that follows a call. */
  const answerTo = async (call: Call, context: ServerContext): Promise<CallAnswer> => {
    try {
      const came = await call.running.follow(context);
      if ("question" in came) return park(call, came.question);
      running.delete(call.running);
      return came.result;
    } catch (error) {
      running.delete(call.running);
      throw error;
    }
  };
  const park = (call: Call, waiting: Waiting): CallAnswer => {
    const requestState = randomBytes(24).toString("base64url");
    const expire = setTimeout(() => {
      parked.delete(requestState);
      running.delete(call.running);
      waiting.answer(null);
      call.running.stop();
    }, questionMs);
    expire.unref();
    parked.set(requestState, { ...call, waiting, expire });
    const request = { method: "elicitation/create", params: waiting.params } as InputRequest;
    return inputRequired({ inputRequests: { [keyOf(waiting)]: request }, requestState });
  };

  return {
    async begin(begun, context) {
      if (running.size >= MOST_CALLS) return tooMany();
      if (isDeeper(begun.args, DEEPEST)) return tooDeep();
      // Whatever may fail comes before the call is counted: nobody would take it off again.
      const called = nameOf(begun.name, begun.args);
      // Where the client comes back with an answer it decides itself what it asks when, and one it never asks holds up no other call.
      const call = createRunningCall({ ...begun, inTurn: begun.push ? inTurn : oneAtATime() }, context);
      running.add(call);
      return answerTo({ running: call, called }, context);
    },
    async resume(state, name, args, context) {
      const call = parked.get(state);
      if (!call || isDeeper(args, DEEPEST) || call.called !== nameOf(name, args))
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          "Invalid or expired requestState: its call has ended, or it belongs to another call.",
        );
      parked.delete(state);
      clearTimeout(call.expire);
      const answer = readElicitResult(context.mcpReq.inputResponses?.[keyOf(call.waiting)]);
      // No answer is not a no: it is asked again.
      if (!answer) return park(call, call.waiting);
      call.waiting.answer(answer);
      return answerTo(call, context);
    },
    busy: () => running.size,
    stop() {
      for (const { expire } of parked.values()) clearTimeout(expire);
      parked.clear();
      for (const call of running) call.stop();
      running.clear();
    },
  };
}

/** Puts a question over a connection that can carry one. However that fails, nobody has answered. */
export const pushQuestion = (asked: ClientQuestion, { mcpReq }: ServerContext, signal: AbortSignal): Promise<ElicitResult | null> =>
  mcpReq
    .send({ method: "elicitation/create", params: { ...asked.params } }, { timeout: QUESTION_MS, signal })
    .then(readElicitResult, () => null);

const keyOf = ({ key = "answer" }: ClientQuestion) => key;
const nameOf = (name: string, args: unknown) => JSON.stringify([name, args]);

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" && value !== null && (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

const failed = (text: string): CallAnswer => ({ isError: true, content: [{ type: "text", text }] });
const tooMany = () => failed(`${MOST_CALLS} calls of this session are under way. Wait until one of them has ended, then call again.`);
const tooDeep = () => failed(`The arguments are nested more than ${DEEPEST} levels deep. Nothing was run.`);

/** The next question is put when the one before has been answered or given up. */
function oneAtATime(): CallStart["inTurn"] {
  const inTurn = createQueue();
  return (work, signal) => inTurn(() => (signal.aborted ? null : work()));
}
