import type { CreateMessageResult } from "@modelcontextprotocol/client";
import { ToolError } from "../../core/error.ts";
import type { Elicit } from "../../core/ports/elicitation.ts";
import type { Sampled, Sampling } from "../../core/ports/mcp/sampling.ts";
import { abortAfter, unlessAborted } from "../../text/abort.ts";
import type { ServerConfig } from "../config.ts";
import { MOST_SHOWN, type ReadWish, readWish } from "./sample-wish.ts";
import { inALine } from "./trust/hidden-text.ts";

export interface SamplerParts {
  readonly sampling: Sampling;
  /** Puts the question to the person; null where nobody can be asked. */
  readonly elicit: Elicit | null;
}

/** The call of ours that a request belongs to: `call` is the same object for as long as one is under way. */
export interface SampledDuring {
  readonly call: object;
  readonly signal: AbortSignal;
}

/** Answers requests of one server for our model. What it has used is counted for as long as Zeph runs, over all of its connections. */
export type Sampler = (params: unknown, during: SampledDuring) => Promise<CreateMessageResult>;

/** Refused. The protocol has this code for a no; the rest is for our own model, where the failure comes back to it. */
export class SamplingRefused extends ToolError {
  readonly code = -1;
  constructor(server: string, why: string) {
    super("policy_blocked", `The MCP server "${server}" wanted an answer of the model, and was refused: ${why.replace(/\.$/, "")}.`, {
      advice: "Go on without it, or tell the user.",
    });
  }
}

const STOP_REASONS: Readonly<Record<Sampled["why"], string>> = { end: "endTurn", length: "maxTokens", stop: "stopSequence" };
const LONGEST_ASKING_MS = 600_000;

/** Null for a server that may not ask: then it is not told that there is such a thing. */
export function createSampler({ name, sampling: mode }: Pick<ServerConfig, "name" | "sampling">, parts: SamplerParts): Sampler | null {
  if (!mode) return null;
  const { sampling, elicit } = parts;
  const { limits, redact } = sampling;
  const used = { requests: 0, tokens: 0 };
  const told = new Set<string>();
  let declined: object | null = null;
  const note = (text: string) => sampling.note(redact(`the MCP server ${name} asked the model: ${inALine(text, 300)}`));
  /** Each reason is noted once: a flood writes nothing. */
  const refuse = (why: string): never => {
    if (!told.has(why) && told.size < MOST_TOLD) {
      note(`refused, ${why}`);
      told.add(why);
    }
    throw new SamplingRefused(name, why);
  };

  const letIn = async ({ shown, wish }: ReadWish, { call, signal }: SampledDuring): Promise<string> => {
    if (mode === "allow") return "allowed by the configuration";
    if (elicit === null) return refuse("nobody is there to be asked");
    if (shown.length > MOST_SHOWN) return refuse(`a person is shown at most ${MOST_SHOWN} characters, and it has ${shown.length}`);
    const long = AbortSignal.any([signal, abortAfter(LONGEST_ASKING_MS)]);
    const nobody = () => ({ action: "cancel" }) as const;
    const asked = { kind: "form", from: name, message: questionText(wish.maxTokens, shown), fields: [] } as const;
    const { action } = await unlessAborted(elicit(asked, long).catch(nobody), long, nobody);
    if (action === "accept") return "allowed by the person";
    if (action === "decline") {
      declined = call;
      note(`refused by the person, ${wish.maxTokens} tokens at most`);
      throw new SamplingRefused(name, "the person said no");
    }
    return refuse("nobody answered the question about it");
  };

  return async (params, during) => {
    if (sampling.answer === null) return refuse("there is no model here; an agent has to lend it one");
    if (declined === during.call) throw new SamplingRefused(name, "the person said no during this call");
    if (used.requests >= limits.max_requests)
      return refuse(`it has asked ${limits.max_requests} times, which is the most (mcp.sampling.max_requests)`);
    // Each counts, whatever comes of it: to read one costs, and so does a question to the person.
    used.requests++;
    const read = readWish(params, limits.max_answer_tokens, redact);
    if ("refused" in read) return refuse(read.refused);
    if (used.tokens + read.tokens + read.wish.maxTokens > limits.max_tokens)
      return refuse(`it would have used more than ${limits.max_tokens} tokens, which is the most (mcp.sampling.max_tokens)`);
    const by = await letIn(read, during);
    const late = abortAfter(limits.timeout_secs * 1000);
    const signal = AbortSignal.any([during.signal, late]);
    let sampled: Sampled;
    try {
      sampled = await unlessAborted(sampling.answer(read.wish, signal), signal, () => {
        throw new SamplingRefused(name, late.aborted ? `the model took longer than ${limits.timeout_secs} s` : "the call is over");
      });
    } catch (error) {
      // What was sent has been paid for, and so may be a whole answer that nobody counted.
      used.tokens += read.tokens + read.wish.maxTokens;
      note(`${by}, and failed`);
      throw error instanceof SamplingRefused ? error : new SamplingRefused(name, `the model failed: ${redact((error as Error).message)}`);
    }
    const { usage, model, text, why } = sampled;
    used.tokens += usage.input + usage.output;
    note(`${by}, ${model}, ${usage.input} tokens in and ${usage.output} out, ${used.requests} of ${limits.max_requests} requests`);
    return { role: "assistant", content: { type: "text", text: redact(text) }, model, stopReason: STOP_REASONS[why] };
  };
}

const MOST_TOLD = 20;

const questionText = (maxTokens: number, shown: string): string =>
  `It wants your model to answer what stands below, with at most ${maxTokens} tokens. You pay for it, and the answer goes to that server. Nothing else is sent.\n\n${shown}`;
