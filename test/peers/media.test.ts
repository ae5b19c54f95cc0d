import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Elicitation } from "../../src/core/ports/elicitation.ts";
import { createRuntime } from "../../src/index.ts";
import { available } from "../sandbox/support.ts";
import { agentIn, all, asks, modelSaying, says } from "../talking.ts";
import { workspace } from "../workspace.ts";
import { havePeers, peersFolder, server } from "./peers.ts";

const place = workspace([{ op: "mkdir", path: "work" }]);
afterAll(() => place.remove());

const everything = {
  name: "everything",
  command: process.execPath,
  args: [server("everything")],
  allow_read: [peersFolder],
  trust: "trusted",
};
const config = (name: string, more: object) => ({
  audit: { path: join(place.state, `${name}.jsonl`) },
  autonomy: "full",
  mcp: { servers: [{ ...everything, ...more }] },
});

describe.skipIf(!havePeers || !available)("the reference server everything", () => {
  it("gets an answer of the model, and its image reaches it", async () => {
    const asked: Elicitation[] = [];
    const model = {
      ...modelSaying(
        [asks("mcp__everything__trigger-sampling-request", { prompt: "say hi", maxTokens: 20 })],
        [says("Hi there.")],
        [asks("mcp__everything__get-tiny-image", {})],
        [says("A small image.")],
      ),
      images: true as const,
    };
    const agent = await agentIn(place, model, {
      config: config("on", { sampling: true }),
      elicit: async (question) => {
        asked.push(question);
        return { action: "accept", content: {} };
      },
    });
    const events = await all(agent.send("try it"));
    const [sampled, image] = events.filter((event) => event.type === "tool_end");
    expect(sampled!.outcome.output!.text).toContain("Hi there.");
    expect(model.given[1]).toMatchObject({ system: "You are a helpful test server.", tools: [] });
    expect(asked[0]!.message).toContain("say hi");
    expect(image!.outcome.output!.media).toMatchObject([{ mediaType: "image/png", width: 20, height: 20 }]);
    expect(model.given[3]!.messages.at(-1)).toMatchObject({ role: "tool", media: image!.outcome.output!.media });
    await agent.close();
  });

  it("has no such tool where it may not ask", async () => {
    const zeph = await createRuntime({
      cwd: place.work,
      store: "memory",
      config: config("off", {}) as never,
    });
    const names = zeph.tools().map(({ name }) => name);
    expect(names).toContain("mcp__everything__echo");
    expect(names).not.toContain("mcp__everything__trigger-sampling-request");
    await zeph.close();
  });
});
