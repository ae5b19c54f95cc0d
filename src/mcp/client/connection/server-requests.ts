import { pathToFileURL } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import type { Elicit } from "../../../core/ports/elicitation.ts";
import { createQueue } from "../../../text/queue.ts";
import { answerElicitation } from "../elicitation.ts";
import { type Sampler, SamplingRefused } from "../sampling.ts";

export interface RequestParts {
  readonly name: string;
  readonly elicit: Elicit | null;
  readonly roots: readonly string[];
  /** Answers requests for our model; null for a server that may not ask it. */
  readonly sample?: Sampler | null;
  readonly warn: (message: string) => void;
}

/** The activity of a connection. */
export interface ConnectionActivity {
  /** Calls that are under way, and questions that are open. */
  calls: number;
  asking: number;
  /** All questions that ever came. */
  asked: number;
  /** Aborted when nobody waits for an answer any more. */
  over: AbortController;
  /** Whose call is under way, of several the newest: what is asked meanwhile is asked, and paid for, on their behalf. */
  behalf?: <T>(work: () => T) => T;
}

/** Answers the requests of a server: for the person's answers, for the folders of work and, where the configuration says so, for our model. */
export function answerRequests(client: Client, parts: RequestParts, doings: ConnectionActivity): void {
  client.setRequestHandler("roots/list", () => ({ roots: parts.roots.map((path) => ({ uri: pathToFileURL(path).href })) }));
  // A person is asked one thing at a time by one server.
  const inTurn = createQueue();
  client.setRequestHandler("elicitation/create", async (request, ctx) => {
    // Nobody is asked out of the blue, and nobody is asked without end.
    if (doings.calls === 0 || doings.asking >= MOST_QUESTIONS) return { action: "cancel" };
    doings.asking++;
    doings.asked++;
    const signal = AbortSignal.any([ctx.mcpReq.signal, doings.over.signal]);
    return inTurn(() => answerElicitation(parts, request, signal)).finally(() => doings.asking--);
  });
  const { sample } = parts;
  if (!sample) return;
  client.setRequestHandler("sampling/createMessage", async (request, ctx) => {
    const { over, behalf = (work) => work() } = doings;
    if (doings.calls === 0 || doings.asking >= MOST_QUESTIONS)
      throw new SamplingRefused(parts.name, "it may only ask during a call, and not without end");
    doings.asking++;
    doings.asked++;
    const signal = AbortSignal.any([ctx.mcpReq.signal, over.signal]);
    return inTurn(() => behalf(() => sample(request.params, { call: over, signal }))).finally(() => doings.asking--);
  });
}

const MOST_QUESTIONS = 10;
