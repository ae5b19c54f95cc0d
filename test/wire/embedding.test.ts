import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { EmbeddingError } from "../../src/core/ports/embedder.ts";
import { NEVER } from "../../src/core/tool.ts";
import { createProviderEmbedder } from "../../src/models/embedding.ts";
import { KEY } from "./talk.ts";

interface Sent {
  readonly path: string | undefined;
  readonly key: string | undefined;
  readonly body: { readonly model: string; readonly input: string[] };
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(say: (response: ServerResponse, sent: Sent) => void) {
  const given: Sent[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    response.on("error", () => {});
    let text = "";
    for await (const chunk of request) text += chunk;
    const sent = { path: request.url, key: request.headers.authorization, body: JSON.parse(text || "{}") };
    given.push(sent);
    say(response, sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const open = (timeoutMs = 300_000, key: typeof KEY | null = KEY) =>
    createProviderEmbedder(
      {
        asked: { name: "here", type: "openai", model: "chat-model", url, ...(key && { key: { from: "TEST_KEY", value: key } }) },
        timeoutMs,
      },
      "embed-model",
    );
  return { given, open, url };
}

const answer = (response: ServerResponse, vectors: unknown[], status = 200) =>
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ data: vectors.map((embedding, index) => ({ index, embedding })) }));
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe("asking for vectors", () => {
  it("sends model, texts and key, and makes every vector as long as one", async () => {
    const { given, open } = await serve((response, { body }) =>
      answer(
        response,
        body.input.map((text) => [text.length * 3, 0, text.length * 4]),
      ),
    );
    const embedder = open();
    expect(embedder.id).toBe("here/embed-model");
    const [one, two] = await embedder.embed(["a", "bcd"], NEVER);
    expect([...one!]).toEqual([...Float32Array.of(0.6, 0, 0.8)]);
    expect([...two!]).toEqual([...Float32Array.of(0.6, 0, 0.8)]);
    expect(given).toEqual([
      { path: "/v1/embeddings", key: `Bearer ${KEY}`, body: { model: "embed-model", input: ["a", "bcd"], encoding_format: "float" } },
    ]);
  });
  it("sends no key where there is none", async () => {
    const { given, open } = await serve((response) => answer(response, [[1]]));
    await open(10_000, null).embed(["a"], NEVER);
    expect(given[0]!.key).toBeUndefined();
  });
  it("asks for nothing when there is nothing to ask", async () => {
    const { given, open } = await serve((response) => answer(response, []));
    expect(await open().embed([], NEVER)).toEqual([]);
    expect(given).toEqual([]);
  });
  it("splits what is much, cuts what is long, and sends no half characters and nothing empty", async () => {
    const { given, open } = await serve((response, { body }) =>
      answer(
        response,
        body.input.map((_, n) => [n + 1, 1]),
      ),
    );
    const texts = [`${"x".repeat(7999)}\u{1F600}`, "", "  \n", ...Array.from({ length: 197 }, (_, n) => `t${n}`)];
    expect(await open().embed(texts, NEVER)).toHaveLength(200);
    expect(given.map(({ body }) => body.input.length)).toEqual([96, 96, 8]);
    const [long, ...empty] = given[0]!.body.input;
    expect(long).toBe(`${"x".repeat(7999)}\ufffd`);
    expect(empty.slice(0, 2)).toEqual(["-", "-"]);
    expect(given[2]!.body.input.at(-1)).toBe("t196");
  });
  it("goes by the numbers of the answers, not by their order", async () => {
    const { open } = await serve((response) =>
      response.end(
        JSON.stringify({
          data: [
            { index: 1, embedding: [0, 1] },
            { index: 0, embedding: [1, 0] },
          ],
        }),
      ),
    );
    expect((await open().embed(["a", "b"], NEVER)).map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
  it("measures large numbers, too", async () => {
    const { open } = await serve((response) => answer(response, [[3e300, 4e300]]));
    expect([...(await open().embed(["a"], NEVER))[0]!]).toEqual([...Float32Array.of(0.6, 0.8)]);
  });
});

describe("what is no answer", () => {
  it.each<[string, unknown]>([
    ["too few", { data: [{ index: 0, embedding: [1, 2] }] }],
    ["too many", { data: [0, 1, 2].map((index) => ({ index, embedding: [1, 2] })) }],
    ["one twice", { data: [0, 0].map((index) => ({ index, embedding: [1, 2] })) }],
    ["one beyond", { data: [0, 5].map((index) => ({ index, embedding: [1, 2] })) }],
    ["words for numbers", { data: [0, 1].map((index) => ({ index, embedding: ["1", "2"] })) }],
    ["nothing for a number", { data: [0, 1].map((index) => ({ index, embedding: [1, null] })) }],
    ["empty ones", { data: [0, 1].map((index) => ({ index, embedding: [] })) }],
    ["ones of no length", { data: [0, 1].map((index) => ({ index, embedding: [0, 0] })) }],
    ["endless ones", { data: [0, 1].map((index) => ({ index, embedding: new Array(20_000).fill(1) })) }],
    ["text in place of them", { data: [0, 1].map((index) => ({ index, embedding: "AAAA" })) }],
    ["another shape", { embeddings: [[1], [2]] }],
    ["null", null],
  ])("%s", async (_what, body) => {
    const { open } = await serve((response) => response.end(JSON.stringify(body)));
    const error = await failure(open().embed(["a", "b"], NEVER));
    expect(error).toBeInstanceOf(EmbeddingError);
    expect(error.message).toMatch(/not the vectors of these texts.*embed-model/);
  });
  it("no JSON, and numbers too large for any", async () => {
    for (const body of ["oops", '{"data":[{"index":0,"embedding":[1e999]}]}']) {
      const { open } = await serve((response) => response.end(body));
      expect(await failure(open().embed(["a"], NEVER))).toBeInstanceOf(EmbeddingError);
    }
  });
  it("other dimensions: in one answer, and in a later one", async () => {
    let size = 3;
    const { open } = await serve((response, { body }) =>
      answer(
        response,
        body.input.map((text) => new Array(text === "odd" ? 2 : size).fill(1)),
      ),
    );
    const embedder = open();
    await embedder.embed(["a"], NEVER);
    expect((await failure(embedder.embed(["a", "odd"], NEVER))).message).toMatch(/2 numbers, and before of 3.*embedding_model/);
    size = 4;
    expect(await failure(embedder.embed(["a"], NEVER))).toBeInstanceOf(EmbeddingError);
    size = 3;
    expect(await embedder.embed(["a"], NEVER)).toHaveLength(1);
  });
  it("an answer that never ends", async () => {
    const { open } = await serve((response) => {
      const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write("1,".repeat(500_000))), 1);
    });
    expect(await failure(open().embed(["a"], NEVER))).toBeInstanceOf(EmbeddingError);
  });
});

describe("what a server says instead", () => {
  it.each<[number, object | string, RegExp]>([
    [401, { error: { message: `bad key ${KEY}` } }, /here refused the key in TEST_KEY/],
    [404, { error: { message: "no such model" } }, /embed-model/],
    [429, { error: { message: "slow down" } }, /slow down/],
    [500, "broken", /broken/],
    [302, "", /here/],
  ])("%s", async (status, body, why) => {
    const { open, given } = await serve((response) => {
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end(typeof body === "string" ? body : JSON.stringify(body));
    });
    const error = await failure(open().embed(["a"], NEVER));
    expect(error).toBeInstanceOf(EmbeddingError);
    expect(error.message).toMatch(why);
    expect(error.message).not.toContain(KEY);
    expect(given).toHaveLength(1);
  });
  it("nothing, for too long", async () => {
    const { open } = await serve(() => {});
    const started = performance.now();
    const error = await failure(open(200).embed(["a"], NEVER));
    expect(error).toBeInstanceOf(EmbeddingError);
    expect(error.message).toMatch(/within/);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
  it("a little, for ever", async () => {
    const { open } = await serve((response) => {
      const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(" ")), 20);
    });
    expect((await failure(open(300).embed(["a"], NEVER))).message).toMatch(/within/);
  });
  it("nobody is there", async () => {
    const embedder = createProviderEmbedder(
      { asked: { name: "here", type: "ollama", model: "m", url: "http://127.0.0.1:1/v1" }, timeoutMs: 1000 },
      "e",
    );
    const error = await failure(embedder.embed(["a"], NEVER));
    expect(error).toBeInstanceOf(EmbeddingError);
    expect(error.message).toContain("here");
  });
});

it("stops when it is told to, and says what it was told", async () => {
  const { open } = await serve(() => {});
  const stop = new AbortController();
  const work = failure(open().embed(["a"], stop.signal));
  setTimeout(() => stop.abort(new Error("enough")), 50);
  expect((await work).message).toBe("enough");
});
