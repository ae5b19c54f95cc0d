import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { overMediaLimit } from "../src/agent/media-limit.ts";
import { estimateTokens, tokensOf, withoutResult } from "../src/agent/messages.ts";
import { messagesText } from "../src/agent/summary-prompt.ts";
import { checkMedia, defineTool, eventJson, type Media, type Message, ModelError, type ModelEvent, type Toolset } from "../src/index.ts";
import { png, wav } from "./media-bytes.ts";
import { agentIn, all, asks, done, illegal, modelSaying, says, type Turn } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "mkdir", path: "work" }]);
afterAll(() => place.remove());

const media = (bytes: Buffer, type = "image/png"): Media => {
  const checked = checkMedia(bytes, type);
  if ("refused" in checked) throw new Error(checked.refused);
  return checked;
};
const PNG = media(png(640, 480));
const WAV = media(wav(2), "audio/wav");

/** A tool of a program's own that returns these. */
const camera = (returns: () => readonly unknown[]): Toolset => ({
  id: "camera",
  list: () => [
    defineTool({
      name: "look",
      description: "Looks.",
      input: z.strictObject({ n: z.number().optional() }),
      effect: "reads",
      touches: () => [],
      run: async () => ({ text: "[image 1]", media: returns() as readonly Media[] }),
    }),
  ],
});
const seeing = (...turns: readonly Turn[]) => ({ ...modelSaying(...turns), images: true as const });
/** A turn in which the provider refuses the request. */
const refusing = (why: string) => (): AsyncIterable<ModelEvent> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new ModelError("bad_request", why)) }),
});
const results = (messages: readonly Message[] = []) => messages.filter((message) => message.role === "tool");

describe("images that a tool returns", () => {
  it("reach a model that takes them, are stored, and reach it again when the conversation is resumed", async () => {
    const store = join(place.state, "media.db");
    const model = seeing([asks("look", {})], [says("A cat.")]);
    const options = { store, toolsets: [camera(() => [PNG, WAV])] };
    const agent = await agentIn(place, model, options);
    const events = await all(agent.send("what is there?"));
    const [sent] = results(model.given[1]!.messages);
    expect(sent).toMatchObject({ text: "[image 1]\n[1 recording left out: this model takes none]", media: [PNG] });
    const [ended] = events.filter((event) => event.type === "tool_end");
    expect(ended).toMatchObject({ outcome: { output: { media: [PNG, WAV] } } });
    const told = JSON.stringify(events.map(eventJson));
    expect(told).toContain(`"media":[{"kind":"image","media_type":"image/png","bytes":${PNG.bytes},"width":640,"height":480,"sha256":`);
    expect(told).not.toContain(PNG.data);
    await agent.close();
    const later = { ...seeing([says("Still a cat.")]), audio: true as const };
    const again = await agentIn(place, later, { ...options, conversation: "last" });
    await all(again.send("and now?"));
    expect(results(later.given[0]!.messages)[0]).toEqual({ role: "tool", id: expect.any(String), text: "[image 1]", media: [PNG, WAV] });
    await again.close();
  });

  it("are told in words to a model that takes none", async () => {
    const model = modelSaying([asks("look", {})], [says("Nothing to see.")]);
    const agent = await agentIn(place, model, { toolsets: [camera(() => [PNG])] });
    await all(agent.send("what is there?"));
    const [sent] = results(model.given[1]!.messages);
    expect(sent).toEqual({ role: "tool", id: expect.any(String), text: "[image 1]\n[1 image left out: this model takes none]" });
    await agent.close();
  });

  it("are in the audit log as a hash and a size", async () => {
    const model = seeing([asks("look", {})], [says("A cat.")]);
    const path = join(place.state, "hashes.jsonl");
    const agent = await agentIn(place, model, { config: { audit: { path } }, toolsets: [camera(() => [PNG])] });
    await all(agent.send("what is there?"));
    await agent.close();
    const log = readFileSync(path, "utf8");
    expect(log).toContain(`"media":[{"media_type":"image/png","bytes":${PNG.bytes},"sha256":"${PNG.sha256}"}]`);
    expect(log).not.toContain(PNG.data.slice(0, 60));
  });

  it("are left out when nobody looked at their bytes, and when there are too many", async () => {
    const forged = { ...PNG, data: Buffer.from("<svg/>").toString("base64") };
    const model = seeing([asks("look", {})], [asks("look", { n: 2 })], [says("Nothing.")]);
    let given: readonly unknown[] = [forged, null, PNG];
    const agent = await agentIn(place, model, { toolsets: [camera(() => given)] });
    const turn = agent.send("what is there?");
    for await (const event of turn) if (event.type === "tool_end") given = Array.from({ length: 1000 }, () => PNG);
    const [first, second] = results(model.given[2]!.messages);
    expect(first).toMatchObject({ text: "[image 1]\n[2 of its media left out: use checkMedia, and at most 8]", media: [PNG] });
    expect(second).toMatchObject({ text: "[image 1]\n[992 of its media left out: use checkMedia, and at most 8]" });
    expect(second!.role === "tool" && second!.media).toHaveLength(8);
    await agent.close();
  });

  it("stay beside a text that is too long to show and holds a secret", async () => {
    const key = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const toolset: Toolset = {
      id: "long",
      list: () => [
        defineTool({
          name: "look",
          description: "Looks.",
          input: z.strictObject({}),
          effect: "reads",
          touches: () => [],
          run: async () => ({ text: `token ${key}\n${"line of the text\n".repeat(20_000)}`, media: [PNG] }),
        }),
      ],
    };
    const model = seeing([asks("look", {})], [says("Long.")]);
    const agent = await agentIn(place, model, { toolsets: [toolset] });
    const events = await all(agent.send("what is there?"));
    const [ended] = events.filter((event) => event.type === "tool_end");
    expect(ended!.outcome.output).toMatchObject({ truncated: true, overflow: expect.any(String), media: [PNG] });
    expect(ended!.outcome.output!.text).not.toContain(key);
    expect(results(model.given[1]!.messages)[0]).toMatchObject({ media: [PNG] });
    await agent.close();
  });

  it("that a provider refuses are left out, and the model is asked again", async () => {
    const refuse = refusing("Could not process image.");
    const model = seeing([asks("look", {})], refuse, [says("I cannot see it.")], [says("Fine.")]);
    const agent = await agentIn(place, model, { toolsets: [camera(() => [PNG])] });
    const events = await all(agent.send("what is there?"));
    expect(done(events)).toMatchObject({ why: "answered" });
    expect(events).toContainEqual({
      type: "warning",
      message: "Could not process image. It is asked again without images and recordings.",
    });
    const text = "[image 1]\n[1 image left out: the provider refused a request with them]";
    expect(results(model.given[2]!.messages)).toEqual([{ role: "tool", id: expect.any(String), text }]);
    await all(agent.send("and now?"));
    expect(results(model.given[3]!.messages)).toMatchObject([{ text }]);
    await agent.close();
  });

  it("fail a turn when the provider refuses the request without them, too", async () => {
    const refuse = refusing("No.");
    const model = seeing([asks("look", {})], refuse, refuse, [says("never")]);
    const agent = await agentIn(place, model, { toolsets: [camera(() => [PNG])] });
    expect(done(await all(agent.send("what is there?")))).toMatchObject({ why: "failed", message: "No." });
    expect(model.given).toHaveLength(3);
    await agent.close();
  });

  it("are at most twenty in a request, and the newest stay, also after it was resumed", async () => {
    const store = join(place.state, "many.db");
    const rounds = 30;
    const model = seeing(...Array.from({ length: rounds }, (_, n) => [asks("look", { n })]), [says("Enough.")]);
    const options = { store, toolsets: [camera(() => [PNG])], config: { agent: { max_tool_iterations: 50 } } };
    const agent = await agentIn(place, model, options);
    await all(agent.send("look often", { maxTurns: 50 }));
    const counts = model.given.map(({ messages }) => results(messages).filter((one) => "media" in one).length);
    expect(Math.max(...counts)).toBe(20);
    const last = results(model.given.at(-1)!.messages);
    expect(last).toHaveLength(rounds);
    expect(last.at(-1)).toHaveProperty("media");
    expect(last[0]).toEqual({ role: "tool", id: expect.any(String), text: "[image 1]\n[1 image left out because newer ones came]" });
    expect(illegal(model.given.at(-1)!.messages)).toBeNull();
    await agent.close();
    const later = seeing([says("Fine.")]);
    const again = await agentIn(place, later, { ...options, conversation: "last" });
    await all(again.send("and now?"));
    expect(results(later.given[0]!.messages)).toEqual(last);
    await again.close();
  });
});

describe("the room that images take", () => {
  const result = (...given: readonly Media[]): Message => ({ role: "tool", id: "1", text: "[image 1]", media: given });

  it("is estimated by their size", () => {
    const bare = tokensOf({ role: "tool", id: "1", text: "[image 1]" });
    expect(tokensOf(result(PNG)) - bare).toBe(Math.ceil((640 * 480) / 750));
    expect(tokensOf(result(media(png(8000, 8000)))) - bare).toBe(1600);
    expect(tokensOf(result(media(png(1, 1)))) - bare).toBe(85);
    expect(tokensOf(result(WAV)) - bare).toBe(64);
    expect(bare).toBe(6 + estimateTokens("[image 1]"));
  });

  it("is limited in bytes, too, and the newest always stays", () => {
    const large = { ...PNG, bytes: 7 * 1024 * 1024 };
    expect(overMediaLimit([result(large), result(large), result(large)])).toEqual([0, 1]);
    expect(overMediaLimit([result({ ...PNG, bytes: 99 * 1024 * 1024 })])).toEqual([]);
    expect(overMediaLimit(Array.from({ length: 20 }, () => result(PNG)))).toEqual([]);
  });

  it("is made by leaving them out with a mark", () => {
    expect(withoutResult(result(PNG, WAV))).toEqual({
      role: "tool",
      id: "1",
      text: "[image 1]\n[1 image and 1 recording left out to make room]",
    });
    expect(withoutResult({ ...result(PNG), text: "x".repeat(500) } as Message)).toMatchObject({
      text: expect.stringContaining("call again"),
    });
  });

  it("is none in a summary, which says what there was", () => {
    const text = messagesText([result(PNG)], 10_000);
    expect(text).toBe(`<result>\n[image 1]\n[image/png, 640 x 480, ${PNG.bytes} B, not shown here]`);
  });
});
