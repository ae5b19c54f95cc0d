import * as z from "zod";
import { ToolCall } from "../../src/core/call.ts";
import { type ApprovedCall, Door } from "../../src/core/door.ts";
import { ToolError } from "../../src/core/error.ts";
import type { Egress, Page, Wires } from "../../src/core/ports/web.ts";
import { ToolRequest } from "../../src/core/request.ts";
import { createSession } from "../../src/core/session.ts";
import { defineTool, NEVER } from "../../src/core/tool.ts";
import { scrapeConfig } from "../../src/host/web/config.ts";
import type { HtmlReader } from "../../src/host/web/reader.ts";
import { createLocalWeb, type WebParts } from "../../src/host/web/web.ts";

/** The text as it is. What is made of a page is tested elsewhere. */
const plain: HtmlReader = {
  page: async (body) => ({ title: null, text: Buffer.from(body).toString("utf8") }),
  select: async (body) => ({ items: [Buffer.from(body).toString("utf8")], more: false, title: null, elements: 0 }),
  close: async () => {},
};

export const surf = defineTool({
  name: "surf",
  description: "Asks for a page.",
  input: z.strictObject({ url: z.string() }),
  effect: "fetches",
  touches: ({ url }) => [{ kind: "url", url }],
  run: async () => ({ text: "" }),
});
const door = new Door(() => null, []);
const { turn } = { turn: createSession().current({}) };

export async function permitFor(url: string): Promise<ApprovedCall> {
  const call = ToolCall.parse(ToolRequest.from({ id: "1", name: "surf", args: { url } })!, new Map([["surf", surf]])) as ToolCall;
  return (await door.preapprove(call, turn)) as ApprovedCall;
}

interface Options {
  readonly config?: object;
  readonly cache?: { enabled: boolean; ttlSecs: number };
  readonly wires: Partial<Wires>;
  readonly idleMs?: number;
  readonly onEgress?: (egress: Egress) => void | Promise<void>;
  readonly mayFollow?: WebParts["mayFollow"];
}

/** The web behind a real door, with what it told the log. */
export function browser({ config = {}, cache = { enabled: false, ttlSecs: 0 }, wires, idleMs, onEgress, mayFollow }: Options) {
  const egress: Egress[] = [];
  const web = createLocalWeb({
    config: scrapeConfig().parse(config),
    cache,
    wires,
    reader: plain,
    ...(idleMs !== undefined && { idleMs }),
    ...(mayFollow && { mayFollow }),
    onEgress: (line) => {
      egress.push(line);
      return onEgress?.(line);
    },
  });
  const page = async (url: string, signal: AbortSignal = NEVER): Promise<Page> =>
    web.page(await permitFor(url), url, "text", { signal, turn });
  return { web, turn, egress, page, failure: async (url: string, signal?: AbortSignal) => failureOf(page(url, signal)) };
}

export async function failureOf(promise: Promise<unknown>): Promise<ToolError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}
