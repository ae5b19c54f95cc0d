import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chooseTool, type ScriptedStep } from "../../../../hook/live/choose-tool.ts";
import { answerBeside, MODEL_WIRES, responseOf, type WireResponse } from "../../../../hook/live/wire/model-wires.ts";
import { isRecord, parseJson } from "../../../../text/json.ts";

/** The word that a conversation of ours begins with: clients also ask for titles and summaries, and those are answered with a last word. */
export const LIVE_PROMPT = "zeph-hook-test-go";

/** A model that wants one call after the other, and keeps what it read back of each. */
export interface ScriptedModel {
  readonly url: string;
  /** How often it was asked about our conversation. */
  asked(): number;
  /** What came back of the n-th call; undefined where nothing did. */
  read(n: number): string | undefined;
  close(): Promise<void>;
}

const MOST_BYTES = 32 * 1024 * 1024;

/** Listens on loopback and speaks the language of whoever asks. It is no provider: whatever it is asked, it wants the next step, or nothing more. */
export async function openScriptedModel(steps: readonly ScriptedStep[]): Promise<ScriptedModel> {
  let asked = 0;
  let results: readonly string[] = [];
  const server = createServer(async (request, response) => {
    const url = request.url ?? "/";
    const path = url.split("?")[0] ?? "/";
    const text = await bodyOf(request);
    const wire = request.method === "POST" ? MODEL_WIRES.find((one) => one.path.test(path)) : undefined;
    if (!wire || text === null) return send(response, answerBeside(path));
    const said = parseJson(text);
    const body = isRecord(said) ? said : {};
    const heard = wire.read(body);
    const isOurs = heard.tools.length > 0 && text.includes(LIVE_PROMPT);
    if (isOurs) {
      asked++;
      if (heard.results.length >= results.length) results = heard.results;
    }
    const step = isOurs ? steps[heard.results.length] : undefined;
    const call = step ? chooseTool(step, heard.tools) : null;
    send(response, responseOf(wire.answer(body, call, { id: `${heard.results.length}_${asked}`, url })));
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    read: (n) => results[n],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const send = (response: ServerResponse, { status, type, text }: WireResponse): void =>
  void response.writeHead(status, { "content-type": type }).end(text);

/** Null for what is too long, or ends before its end. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MOST_BYTES) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch {
    return null;
  }
}
