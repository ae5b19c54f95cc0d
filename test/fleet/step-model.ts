import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface SentMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

/** What a model is told of a call without a result, by the words of it. */
const FATES = {
  unknown: "Whether it took effect is not known",
  ended: "its result was lost",
  "not made": "stopped before this call was made",
} as const;
export type ToldFate = keyof typeof FATES;

export interface StepModel {
  readonly url: string;
  /** What it was told last of each call without a result. */
  fates(): readonly ToldFate[];
  /** All that it was told last, as text. */
  told(): string;
}

/**
 * A model of a server: it does numbered steps with commands, one after the other, and goes by nothing but what it is told. Of a call whose outcome is unknown it
 * looks first; what was not made it makes again.
 */
export async function serveSteps(
  steps: number,
  command: (step: number) => string,
  look: (step: number) => string,
  /** Awaited before it answers with a step. */
  asked: (step: number) => Promise<void>,
): Promise<StepModel> {
  let last: readonly SentMessage[] = [];
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await bodyOf(request)) as { messages: readonly SentMessage[] };
    last = messages;
    const next = nextOf(results(messages), steps);
    const id = `call_${messages.length}`;
    if (next?.how === "step") await asked(next.step);
    const args = next === null ? null : { command: next.how === "look" ? look(next.step) : command(next.step) };
    const delta =
      args === null
        ? { role: "assistant", content: `All ${steps} steps.` }
        : {
            role: "assistant",
            tool_calls: [{ index: 0, id, type: "function", function: { name: "bash", arguments: JSON.stringify(args) } }],
          };
    const chunk = (value: object) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "steps", ...value })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
    response.end(`${chunk({ choices: [{ index: 0, delta: {}, finish_reason: args === null ? "stop" : "tool_calls" }] })}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const told = () => last.map(({ content }) => textOf(content)).join("\n");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    told,
    fates: () =>
      last.flatMap(({ role, content }) =>
        role === "tool" ? (Object.keys(FATES) as ToldFate[]).filter((fate) => textOf(content).includes(FATES[fate])) : [],
      ),
  };
}

interface StepResult {
  readonly step: number;
  readonly how: "step" | "look";
  readonly text: string;
}

/** Its calls and what came of them: a command names its step. */
function results(messages: readonly SentMessage[]): readonly StepResult[] {
  const asked = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  return messages.flatMap(({ role, tool_call_id, content }) => {
    const call = role === "tool" && asked.find(({ id }) => id === tool_call_id);
    if (!call) return [];
    const [, how, step] = /: (step|look) (\d+);/.exec(call.function.arguments)!;
    return [{ how: how as StepResult["how"], step: Number(step), text: textOf(content) }];
  });
}

/** What is to be done next; null when everything is. */
function nextOf(past: readonly StepResult[], steps: number): Pick<StepResult, "step" | "how"> | null {
  const state = new Map<number, "done" | "look" | "again">();
  for (const { step, how, text } of past) {
    if (how === "look") state.set(step, text.includes("found it") ? "done" : "again");
    else if (text.includes(FATES.unknown)) state.set(step, "look");
    else state.set(step, text.includes(FATES["not made"]) ? "again" : "done");
  }
  for (let step = 1; step <= steps; step++)
    if (state.get(step) !== "done") return { step, how: state.get(step) === "look" ? "look" : "step" };
  return null;
}

const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content ?? ""));

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
