import { join } from "node:path";
import {
  type Agent,
  type AgentOptions,
  createAgent,
  type Message,
  type Model,
  type ModelEvent,
  type Prompt,
  type ZephEvent,
} from "../src/index.ts";
import type { Loosely, Workspace } from "./workspace.ts";

export type Turn = readonly ModelEvent[] | ((prompt: Prompt, signal: AbortSignal) => AsyncIterable<ModelEvent>);

/** A model that says one turn after the other, and remembers what it was given. */
export function modelSaying(...turns: readonly Turn[]): Model & { readonly given: Prompt[] } {
  const given: Prompt[] = [];
  return {
    id: "test/model",
    contextTokens: 100_000,
    given,
    async *stream(prompt, signal) {
      given.push({ ...prompt, messages: [...prompt.messages] });
      const turn = turns[given.length - 1] ?? [];
      yield* typeof turn === "function" ? turn(prompt, signal) : turn;
    },
  };
}

export const says = (text: string): ModelEvent => ({ type: "text", text });
let counter = 0;
export const asks = (name: string, args: unknown, id = `id${++counter}`): ModelEvent => ({ type: "request", request: { id, name, args } });

export const agentIn = (
  place: Workspace,
  model: Model,
  { config = {}, ...options }: Loosely<AgentOptions> & { config?: object } = {},
): Promise<Agent> =>
  createAgent({
    cwd: place.work,
    store: "memory",
    config: { audit: { path: join(place.state, "audit.jsonl") }, ...config },
    model,
    ...options,
  } as AgentOptions);

export async function all(events: AsyncIterable<ZephEvent>): Promise<ZephEvent[]> {
  const list: ZephEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

export const done = (events: readonly ZephEvent[]) =>
  events.findLast((event) => event.type === "done") as Extract<ZephEvent, { type: "done" }>;

/** What every provider demands of a transcript; the first thing wrong with it, or null. */
export function illegal(messages: readonly Message[]): string | null {
  const ids = new Set<string>();
  if (messages[0] && messages[0].role !== "user") return "it does not begin with the user";
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    if (message.parts.length === 0) return "an assistant message is empty";
    if (message.parts.some((part) => part.type === "text" && part.text.trim() === "")) return "a text is empty";
    const asked = message.parts.flatMap((part) => (part.type === "request" ? [part] : []));
    for (const { id, name, args } of asked) {
      if (ids.has(id)) return `the id ${id} is there twice`;
      if (!/^[\w-]{1,64}$/.test(id) || !/^[\w-]{1,64}$/.test(name)) return `${id} or ${name} is no good name`;
      if (typeof args !== "object" || args === null || Array.isArray(args)) return "arguments are no object";
      ids.add(id);
    }
    const open = new Set(asked.map(({ id }) => id));
    for (let next = at + 1; open.size > 0; next++) {
      const answer = messages[next];
      if (answer?.role !== "tool" || !open.delete(answer.id)) return `${[...open].join(", ")} is not answered`;
    }
  }
  const known = messages.flatMap((m) => (m.role === "tool" ? [m.id] : []));
  if (known.some((id) => !ids.has(id))) return "an answer to nothing";
  return new Set(known).size === known.length ? null : "a call is answered twice";
}
