import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cpuMs } from "../../test/cpu.ts";
import { type Embedder, EmbeddingError } from "../core/ports/embedder.ts";
import type { ToolSpec } from "../core/ports/model.ts";
import { NEVER } from "../core/tool.ts";
import { openMeaningRanking } from "./meaning-ranking.ts";
import { createMixedRanking } from "./mixed-ranking.ts";
import { gist, parameterWords, type Ranked, type Ranking, rankingWords } from "./ranking.ts";
import { createWordRanking } from "./word-ranking.ts";

const tool = (name: string, description: string, ...parameters: string[]): ToolSpec => ({
  name,
  description,
  parameters: { type: "object", properties: Object.fromEntries(parameters.map((one) => [one, { type: "string" }])) },
});
const TOOLS = [
  tool("createIssue", "Open a ticket in the tracker.", "title", "body"),
  tool("send_email", "Send a message to somebody.", "recipient", "subject"),
  tool("weather", "Tell the forecast for a city.", "city"),
];
const best = async (ranking: Ranking, query: string, tools = TOOLS) => {
  const { scores } = await ranking.rank(query, tools, NEVER);
  return [...scores].sort(([, a], [, b]) => b - a)[0];
};

describe("by words", () => {
  it.each([
    ["create an issue", "createIssue"],
    ["creating issues", "createIssue"],
    ["mail: send one", "send_email"],
    ["who is the RECIPIENT", "send_email"],
    ["what are the forecasts", "weather"],
  ])("%s: %s", async (query, name) => expect(await best(createWordRanking(), query)).toEqual([name, 1]));
  it("scores everything from 0 to 1, and nothing where no word is shared", async () => {
    const { by, scores } = await createWordRanking().rank("send a message about the weather in a city", TOOLS, NEVER);
    expect(by).toBe("bm25");
    expect(scores.size).toBe(3);
    expect(Math.max(...scores.values())).toBe(1);
    expect(scores.get("createIssue")).toBe(0);
    expect([...(await createWordRanking().rank("the a of zzz", TOOLS, NEVER)).scores.values()]).toEqual([0, 0, 0]);
  });
  it("sees at once that the tools are others, or say something else", async () => {
    const ranking = createWordRanking();
    expect(await best(ranking, "translate")).toEqual(["createIssue", 0]);
    const more = [...TOOLS, tool("translate_text", "Put words into another language.")];
    expect(await best(ranking, "translate", more)).toEqual(["translate_text", 1]);
    const other = [{ ...more[0]!, description: "Fold paper." }, ...more.slice(1)];
    expect(await best(ranking, "paper", other)).toEqual(["createIssue", 1]);
    const given = [tool("createIssue", "Fold paper.", "colour"), ...more.slice(1)];
    expect(await best(ranking, "colour", given)).toEqual(["createIssue", 1]);
  });
  it("ranks 300 tools in 5 ms once they are known", async () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      tool(
        `tool_${n}`,
        `Does the thing number ${n} to files, issues and messages of the project, with all that belongs to it.`,
        "path",
        "limit",
      ),
    );
    const ranking = createWordRanking();
    const times: number[] = [];
    for (let n = 0; n < 30; n++) {
      const started = cpuMs();
      await ranking.rank(`please do thing number ${n} to my files and issues, then send messages about the project`, many, NEVER);
      times.push(cpuMs() - started);
    }
    // The best of them: what else this machine does is not measured here.
    expect(Math.min(...times)).toBeLessThan(10);
  });
  it("reads hostile text in time", async () => {
    const odd = [tool("x", "A a".repeat(1_000_000)), tool("y", `${"é".repeat(500_000)} 1a2B`), tool("", "")];
    const started = cpuMs();
    await createWordRanking().rank("x ".repeat(1_000_000), odd, NEVER);
    expect(cpuMs() - started).toBeLessThan(5000);
  });
});

describe("by meaning", () => {
  /** Counts letters: alike are texts with the same letters. */
  const letters = (text: string) => {
    const vector = new Float32Array(26);
    for (const letter of text.toLowerCase()) {
      const n = letter.charCodeAt(0) - 97;
      if (n >= 0 && n < 26) vector[n]! += 1;
    }
    const length = Math.hypot(...vector) || 1;
    return vector.map((number) => number / length);
  };
  const counting = (id = "test/letters") => {
    const asked: string[][] = [];
    const embedder: Embedder = {
      id,
      async embed(texts) {
        asked.push([...texts]);
        return texts.map(letters);
      },
    };
    return { embedder, asked };
  };
  const setUp = (embedder: () => Promise<Embedder | null>) => {
    const warnings: string[] = [];
    const clock = { now: 0 };
    const ranking = openMeaningRanking({
      embedder,
      otherwise: createWordRanking(),
      warn: (message) => warnings.push(message),
      now: () => clock.now,
    });
    return { ranking, warnings, clock };
  };

  it("asks for each tool once, and for the query", async () => {
    const { embedder, asked } = counting();
    const { ranking } = setUp(async () => embedder);
    expect((await best(ranking, "weather: tell the forecast for a city."))![0]).toBe("weather");
    await ranking.rank("other", TOOLS, NEVER);
    expect(asked.map((texts) => texts.length)).toEqual([4, 1]);
    expect(asked[0]![1]).toBe("create issue: Open a ticket in the tracker.");
    await ranking.rank("other", [...TOOLS, tool("more", "It is new.")], NEVER);
    expect(asked[2]).toEqual(["other", "more: It is new."]);
  });
  it("sends what was said without secrets", async () => {
    const { embedder, asked } = counting();
    const redact = (text: string) => text.replaceAll("hunter2", "[secret]");
    await openMeaningRanking({ embedder: async () => embedder, otherwise: createWordRanking(), warn: () => {}, redact }).rank(
      "use hunter2",
      TOOLS,
      NEVER,
    );
    expect(asked[0]![0]).toBe("use [secret]");
  });
  it("keeps apart what different embedders say", async () => {
    const [one, two] = [counting("a"), counting("b")];
    let now = one.embedder;
    const { ranking } = setUp(async () => now);
    await ranking.rank("x", TOOLS, NEVER);
    now = two.embedder;
    await ranking.rank("x", TOOLS, NEVER);
    expect(two.asked[0]).toHaveLength(4);
  });
  it("leaves out a tool whose vector says nothing", async () => {
    const { ranking } = setUp(async () => counting().embedder);
    const { by, scores } = await ranking.rank("weather", [...TOOLS, tool("数", "数字。")], NEVER);
    expect(by).toBe("embeddings");
    expect(scores.has("数")).toBe(false);
    expect(scores.size).toBe(3);
  });
  it.each<[string, () => Promise<Embedder | null>, RegExp]>([
    ["there is none", async () => null, /embedding_model/],
    ["it cannot be opened", () => Promise.reject(new EmbeddingError("no key")), /no key/],
    ["the server is down", async () => ({ id: "x", embed: () => Promise.reject(new EmbeddingError("it is down")) }), /it is down/],
    ["too few vectors come", async () => ({ id: "x", embed: async () => [letters("a")] }), /not every text/],
    [
      "they are of two kinds",
      async () => ({ id: "x", embed: async (texts) => texts.map((text, n) => (n === 0 ? letters(text) : new Float32Array(3))) }),
      /dimensions/,
    ],
  ])("falls back to words where %s, with one warning, and leaves it alone for a while", async (_what, embedder, why) => {
    let opened = 0;
    const { ranking, warnings, clock } = setUp(() => {
      opened++;
      return embedder();
    });
    const { by, scores } = await ranking.rank("create an issue", TOOLS, NEVER);
    expect(by).toBe("bm25");
    expect(scores.get("createIssue")).toBe(1);
    await ranking.rank("create an issue", TOOLS, NEVER);
    expect(opened).toBe(1);
    clock.now = 60_000;
    await ranking.rank("create an issue", TOOLS, NEVER);
    expect(opened).toBe(2);
    expect(warnings).toEqual([expect.stringMatching(why)]);
  });
  it("takes vectors of other dimensions for a failure, and begins anew with them", async () => {
    let size = 26;
    const embedder: Embedder = { id: "x", embed: async (texts) => texts.map((text) => letters(text).slice(0, size)) };
    const { ranking, warnings, clock } = setUp(async () => embedder);
    expect((await ranking.rank("x", TOOLS, NEVER)).by).toBe("embeddings");
    size = 20;
    expect((await ranking.rank("x", TOOLS, NEVER)).by).toBe("bm25");
    clock.now = 60_000;
    expect((await ranking.rank("x", TOOLS, NEVER)).by).toBe("embeddings");
    expect(warnings).toHaveLength(1);
  });
  it("does not blame the embedder for a person's stop", async () => {
    const stop = AbortSignal.abort();
    const { ranking, warnings } = setUp(async () => ({ id: "x", embed: (_texts, signal) => Promise.reject(signal.reason) }));
    expect((await ranking.rank("x", TOOLS, stop)).by).toBe("bm25");
    expect(warnings).toEqual([]);
  });
});

describe("an embedder that keeps a turn waiting", () => {
  // How long it is waited for is decided here, and not by how busy the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const settled = () => new Promise(setImmediate);
  /** What comes of it when nobody answers in time. */
  const unanswered = async (ranked: Promise<Ranked>) => {
    await settled();
    vi.advanceTimersByTime(40);
    return ranked;
  };
  /** Answers when it is told to, or never; and what it heard. */
  const slow = () => {
    const answers: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    const embedder: Embedder = {
      id: "slow",
      embed(texts, signal) {
        signals.push(signal);
        return new Promise((resolve) => answers.push(() => resolve(texts.map((_, n) => Float32Array.of(1, n)))));
      },
    };
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const clock = { now: 0 };
    const now = () => clock.now;
    const ranking = openMeaningRanking({ embedder: async () => embedder, otherwise: createWordRanking(), warn, now, patienceMs: 40 });
    return { ranking, answers, signals, warnings, clock };
  };

  it("is waited for a moment, then words decide with one warning; it is not asked again meanwhile", async () => {
    const { ranking, signals, warnings, clock } = slow();
    let isRanked = false;
    const ranked = ranking.rank("create an issue", TOOLS, NEVER).finally(() => {
      isRanked = true;
    });
    await settled();
    vi.advanceTimersByTime(39);
    await settled();
    expect(isRanked).toBe(false);
    vi.advanceTimersByTime(1);
    expect((await ranked).by).toBe("bm25");
    clock.now = 100_000;
    expect((await ranking.rank("create an issue", TOOLS, NEVER)).by).toBe("bm25");
    expect(warnings).toEqual(["Tools are ranked by words and not by meaning: there were no vectors within 0.04 s"]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    ranking.close();
  });
  it("goes on behind the turn, even one that was stopped, and serves the next", async () => {
    const { ranking, answers, signals } = slow();
    const turn = new AbortController();
    expect((await unanswered(ranking.rank("x", TOOLS, turn.signal))).by).toBe("bm25");
    turn.abort();
    expect(signals[0]!.aborted).toBe(false);
    answers[0]!();
    await settled();
    const next = ranking.rank("x", TOOLS, NEVER);
    await settled();
    answers[1]!();
    expect((await next).by).toBe("embeddings");
    ranking.close();
  });
  it("is left alone for a while where even the query was too much for it", async () => {
    const { ranking, answers, signals, clock } = slow();
    const first = ranking.rank("x", TOOLS, NEVER);
    await settled();
    answers[0]!();
    await first;
    await unanswered(ranking.rank("x", TOOLS, NEVER));
    answers[1]!();
    await settled();
    await ranking.rank("x", TOOLS, NEVER);
    expect(signals).toHaveLength(2);
    clock.now = 60_000;
    await unanswered(ranking.rank("x", TOOLS, NEVER));
    expect(signals).toHaveLength(3);
    ranking.close();
  });
  it("is stopped by the person while they wait, and when the catalogue closes", async () => {
    const stopped = slow();
    const turn = new AbortController();
    const waiting = stopped.ranking.rank("x", TOOLS, turn.signal);
    await settled();
    turn.abort();
    expect((await waiting).by).toBe("bm25");
    expect(stopped.signals[0]!.aborted).toBe(true);
    const { ranking, signals, warnings } = slow();
    await unanswered(ranking.rank("x", TOOLS, NEVER));
    ranking.close();
    expect(signals[0]!.aborted).toBe(true);
    await settled();
    expect((await ranking.rank("x", TOOLS, NEVER)).by).toBe("bm25");
    expect([signals.length, warnings.length, stopped.warnings.length]).toEqual([1, 1, 0]);
  });
});

it("both: half of each, and words alone where meaning fails", async () => {
  const fixed = (by: "bm25" | "embeddings", scores: Record<string, number>): Ranking => ({
    rank: async () => ({ by, scores: new Map(Object.entries(scores)) }),
  });
  const words = fixed("bm25", { a: 1, b: 0.5, c: 0 });
  const { by, scores } = await createMixedRanking(words, fixed("embeddings", { a: 0.1, b: 0.4 })).rank("x", [], NEVER);
  expect(by).toBe("embeddings");
  expect([...scores]).toEqual([
    ["a", 0.625],
    ["b", 0.75],
  ]);
  expect((await createMixedRanking(words, words).rank("x", [], NEVER)).scores.get("a")).toBe(1);
  expect((await createMixedRanking(words, fixed("embeddings", { a: 0 })).rank("x", [], NEVER)).scores.get("a")).toBe(0.5);
  expect([...(await createMixedRanking(words, fixed("embeddings", {})).rank("x", [], NEVER)).scores]).toEqual([]);
});

it("words of names and texts", () => {
  expect(rankingWords("getUserName2Go get_user-name")).toEqual(["get", "user", "name2", "go", "get", "user", "name"]);
  const nested = { a: { properties: { b: { enum: ["x", 7, "y"] } } }, c: { description: "All of it.", items: { properties: { d: {} } } } };
  expect(parameterWords({ properties: nested })).toEqual({ names: ["a", "c", "b", "d"], texts: ["All of it.", "x", "y"] });
  expect(parameterWords(null)).toEqual({ names: [], texts: [] });
  const circle: any = { properties: {} };
  circle.properties.again = circle;
  expect(parameterWords(circle).names.length).toBeLessThanOrEqual(200);
  expect(gist("x".repeat(10_000)).length).toBe(4001);
});
