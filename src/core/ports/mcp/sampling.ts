import type { Message, Usage } from "../model.ts";

/** What an MCP server wants our model to answer. No tool is offered with it, and nothing of the conversation is in it. */
export interface SampleWish {
  readonly system: string;
  readonly messages: readonly Message[];
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  /** The answer ends before the first of these. */
  readonly stop: readonly string[];
}

/** What the model answered. */
export interface Sampled {
  readonly text: string;
  readonly model: string;
  readonly why: "end" | "length" | "stop";
  /** As the provider counted them, or an estimate where it did not. */
  readonly usage: Usage;
}

/** Most that one server may have of the model while Zeph runs. */
export interface SamplingLimits {
  readonly max_requests: number;
  /** Of requests and answers together. */
  readonly max_tokens: number;
  readonly max_answer_tokens: number;
  readonly timeout_secs: number;
}

/** The model that may be lent to MCP servers, and what is kept of each time. */
export interface Sampling {
  readonly limits: SamplingLimits;
  /** Null where no agent lends a model. */
  readonly answer: ((wish: SampleWish, signal: AbortSignal) => Promise<Sampled>) | null;
  readonly redact: (text: string) => string;
  /** A line of the audit log. */
  readonly note: (text: string) => void;
}
