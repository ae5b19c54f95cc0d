import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client, ElicitRequest } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { png, wav } from "../media-bytes.ts";
import { connected, place, REVISIONS, serving, textOf } from "./server-support.ts";

const GOOD = fileURLToPath(new URL("./client-good.mjs", import.meta.url));
const server = (file: string) => ({ command: process.execPath, args: [file], allow_read: [dirname(dirname(dirname(file)))] });
const MEDIA = fileURLToPath(new URL("./media-server.mjs", import.meta.url));
const media = { ...server(MEDIA), name: "media", trust: "trusted" };
const good = { ...server(GOOD), name: "good" };

describe.each(REVISIONS)("a server behind Zeph, for a client of %s in front of it", (revision) => {
  it("is offered through the gates, and what it asks and how far it is goes through too", async () => {
    const { work, settings } = place();
    const { url, warnings } = await serving({ cwd: work, settings: settings({}, { mcp: { servers: [good] } }) });
    const questions: ElicitRequest["params"][] = [];
    const prepare = (client: Client) =>
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        questions.push(params);
        const isOurs = params.message.startsWith("Zeph asks");
        return { action: "accept", content: isOurs ? { answer: "yes, once" } : { name: "Ada" } };
      });
    const client = await connected(url, { revision, capabilities: { elicitation: { form: {} } }, prepare });
    const { tools } = await client.listTools();
    const behind = tools.filter(({ name }) => name.startsWith("mcp__good__")).map(({ name }) => name);
    expect(behind, warnings.join("\n")).toContain("mcp__good__greet");
    const result = await client.callTool({ name: "mcp__good__greet", arguments: {} }, { timeout: 30_000 });
    expect(textOf(result)).toContain("Ada");
    // First whether the tool may be used at all, then what its server wants to know.
    expect(questions.map(({ message }) => message.split("\n")[0])).toEqual([
      expect.stringContaining("mcp__good__greet"),
      expect.stringContaining("Who are you?"),
    ]);
    const steps: number[] = [];
    await client.callTool(
      { name: "mcp__good__slow", arguments: {} },
      { timeout: 30_000, onprogress: ({ progress }) => steps.push(progress) },
    );
    expect(steps.length).toBeGreaterThan(0);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
  });

  it("hands on images and recordings, and nothing that is none", async () => {
    const { work, settings } = place();
    const { url } = await serving({ cwd: work, settings: settings({}, { autonomy: "full", mcp: { servers: [media] } }) });
    const client = await connected(url, { revision });
    const [image, sound] = [png(3, 2).toString("base64"), wav().toString("base64")];
    const content = [
      { type: "text", text: "look" },
      { type: "image", mimeType: "image/png", data: image },
      { type: "audio", mimeType: "audio/x-wav", data: sound },
      { type: "image", mimeType: "image/png", data: sound },
    ];
    const result = await client.callTool({ name: "mcp__media__show", arguments: { content } }, { timeout: 30_000 });
    expect(result.content).toEqual([
      { type: "text", text: expect.stringMatching(/^look\n\[image 1: .*\n\[audio 2: .*\n\[image: image\/png, 4 kB, not sent: .*\]$/) },
      { type: "image", mimeType: "image/png", data: image },
      { type: "audio", mimeType: "audio/wav", data: sound },
    ]);
  });
});
