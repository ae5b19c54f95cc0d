import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { cpuMs } from "../../../test/cpu.ts";
import { ownFacets } from "../../../test/own-facets.ts";
import { Door } from "../../core/door.ts";
import type { ToolAnswer } from "../../core/draft.ts";
import { ToolError } from "../../core/error.ts";
import type { Embedder } from "../../core/ports/embedder.ts";
import type { Host } from "../../core/ports/host.ts";
import { ToolRequest } from "../../core/request.ts";
import { createSession } from "../../core/session.ts";
import { type AnyTool, defineTool, type Effect, NEVER } from "../../core/tool.ts";
import { isErrorShaped } from "../../filters/errors.ts";
import { openStore } from "../../store/open.ts";
import { type CompressionConfig, compressionConfig } from "../config.ts";
import { createOverflowLayer } from "../overflow.ts";
import { createPipeline } from "../run.ts";
import { createCompressLayer } from "./compress.ts";
import { relevance, termsOf } from "./relevance.ts";

const GOAL = "Find out why payments time out at the gateway, and fix the retry";
const store = openStore("memory");
afterAll(() => store.close());
const session = createSession();
const owner = { session: session.id };

interface Options {
  readonly config?: Partial<CompressionConfig>;
  readonly goal?: string | null;
  readonly effect?: Effect;
  readonly embedder?: () => Promise<Embedder | null>;
}

/** A pipeline with one tool of any name that returns what it is told to; overflow outside, as in the real one. */
function running(name: string, { config = {}, goal = GOAL, effect = "reads", embedder }: Options = {}) {
  const handles = { last: 0 };
  const { layer, stats } = createCompressLayer({
    config: { ...compressionConfig().parse({}), ...config },
    nonce: session.nonce,
    goalOf: () => goal,
    handlesOf: async () => handles,
    ...(embedder && { embedder }),
  });
  let output: ToolAnswer | ToolError = { text: "" };
  const tool = defineTool({
    name,
    description: "",
    input: z.strictObject({
      limit: z.int().optional(),
      n: z.int().optional(),
      path: z.string().optional(),
      command: z.string().optional(),
    }),
    effect,
    facets: ownFacets(name),
    touches: () => [],
    run: async () => {
      if (output instanceof ToolError) throw output;
      return output;
    },
  });
  const kept = createOverflowLayer({
    store: store.overflow,
    config: { threshold: 1e8, max_overflow_bytes: 0 },
    nonce: session.nonce,
    ownerOf: () => owner,
  });
  const pipeline = createPipeline({
    tools: () => new Map<string, AnyTool>([[name, tool]]),
    door: new Door(() => null, []),
    outer: [],
    inner: [kept.layer, layer],
    host: {} as Host,
    retry: { max_attempts: 0, base_ms: 0, max_ms: 0, budget_secs: 0 },
    ask: async () => null,
  });
  let turn = session.current({ goalId: "g" });
  const give = async (given: string | ToolAnswer | ToolError, args: object = {}, goalId: string | null = "g") => {
    output = typeof given === "string" ? { text: given } : given;
    turn = session.current(goalId === null ? {} : { goalId });
    return pipeline(ToolRequest.from({ id: randomUUID(), name, args })!, { signal: NEVER, turn });
  };
  const text = async (...args: Parameters<typeof give>) => (await give(...args)).output?.text ?? "";
  return { give, text, stats, handles };
}

const off = (n: number) =>
  `Paragraph ${n} speaks of colours, of clouds and of the weather in spring.\nIt goes on for another line about birds.`;
const about = "The gateway closes the connection after 3000 ms.\nEvery payment is retried twice before it gives up.";
const PAGE = [...Array.from({ length: 15 }, (_, n) => off(n)), about, ...Array.from({ length: 15 }, (_, n) => off(n + 20))].join("\n\n");
/** These two are left alone unless somebody names them. */
const AWARE = { strategies: { fetch: "moderate", grep: "moderate" } } as const;
const STRATEGIES_ALONE = { goal_aware: false } as const;

describe("what has nothing to do with the goal", () => {
  it("is left out, counted, and kept under a handle that finds it", async () => {
    const { text } = running("fetch", { config: AWARE, effect: "fetches" });
    const shown = await text(PAGE);
    expect(shown).toContain(about);
    expect(shown).toMatch(/\[output filtered: \d+ lines not about the goal\]/);
    expect(shown).toMatch(/\[-\d+ lines raw#1 \d{3}\]$/);
    expect(shown.length).toBeLessThan(PAGE.length / 4);
    expect((await store.overflow.get(owner, "raw#1"))!.text).toBe(PAGE);
  });

  it("names the files of a search, and keeps the head of a file whose hunk stays", async () => {
    const { text } = running("grep", { config: AWARE });
    const lines = Array.from({ length: 60 }, (_, n) => `src/other${n % 5}.ts:${n}: const colour = ${n} * brightness of the sky`);
    const shown = await text([...lines, "src/pay.ts:7: const gatewayTimeout = 3000", ...lines].join("\n"));
    expect(shown).toContain("src/pay.ts:7: const gatewayTimeout = 3000");
    expect(shown).toContain("not about the goal (src/other0.ts, src/other1.ts, src/other2.ts and 2 more)");
    const hunk = (file: string, body: string) =>
      `diff --git a/${file} b/${file}\nindex 1..2\n--- a/${file}\n+++ b/${file}\n@@ -1,9 +1,9 @@\n${body}`;
    const diff = [
      ...Array.from({ length: 10 }, (_, n) => hunk(`ui/c${n}.css`, "-  colour: red;\n+  colour: blue;\n".repeat(8))),
      `${hunk("src/x.ts", " something else entirely\n".repeat(20))}@@ -80,2 +80,2 @@\n-  retryGateway(1)\n+  retryGateway(5)`,
    ].join("\n");
    const changed = await text(diff);
    expect(changed).toContain("diff --git a/src/x.ts b/src/x.ts");
    expect(changed).toContain("+  retryGateway(5)");
    expect(changed).not.toContain("ui/c1.css b/ui/c1.css");
  });

  it("stays when it is above the threshold, and by vectors too where they come", async () => {
    const { text } = running("fetch", { config: { ...AWARE, goal_relevance_threshold: 0 }, effect: "fetches" });
    expect(await text(PAGE.slice(0, 3500))).toBe(PAGE.slice(0, 3500));
    const embedder = async (): Promise<Embedder> => ({
      id: "test",
      embed: async (texts) => texts.map((one) => Float32Array.from(/payments|Paragraph 3 /.test(one) ? [1, 0] : [0, 1])),
    });
    const meant = running("fetch", { config: AWARE, effect: "fetches", embedder });
    expect(await meant.text(PAGE)).toContain("Paragraph 3 ");
    expect(await meant.text(PAGE)).toContain(about);
  });

  it.each<[string, () => Promise<Embedder | null>]>([
    ["is down", async () => Promise.reject(new Error("down"))],
    ["never answers", () => new Promise(() => {})],
    ["gives too few vectors", async () => ({ id: "t", embed: async () => [new Float32Array(2)] })],
    ["gives other dimensions", async () => ({ id: "t", embed: async (texts) => texts.map((_, n) => new Float32Array(n % 3)) })],
  ])("is found by words when the embedder %s", async (_how, embedder) => {
    const { text } = running("fetch", { config: AWARE, effect: "fetches", embedder });
    expect(await text(PAGE)).toContain(about);
  });

  it("does not wait for an embedder again that just failed", async () => {
    let asked = 0;
    const embedder = async () => {
      asked++;
      return Promise.reject(new Error("down"));
    };
    const { text } = running("fetch", { config: AWARE, effect: "fetches", embedder });
    await text(PAGE);
    await text(`${PAGE}\n\nmore`);
    expect(asked).toBe(1);
  });

  it("is cut where even the relevant is too much, but for errors", async () => {
    const { text } = running("fetch", { config: { ...AWARE, max_preserved_chars: 1000 }, effect: "fetches" });
    const much = Array.from(
      { length: 80 },
      (_, n) => `The gateway is mentioned ${n} times here.${n % 20 === 7 ? "\nError: refused by peer" : ""}`,
    );
    const shown = await text(much.join("\n\n"));
    expect(shown.length).toBeLessThan(3_000);
    expect(shown).toContain("max_preserved_chars");
    expect(shown.match(/Error: refused by peer/g)).toHaveLength(4);
  });
});

describe("the strategies", () => {
  it("aggressive leaves two lines and the mark: what names the goal, and how it ended", async () => {
    const { text } = running("bash", { effect: "runs", config: { ...STRATEGIES_ALONE, strategies: { bash: "aggressive" } } });
    const log = [...Array.from({ length: 90 }, (_, n) => `step ${n} of the work goes on and on`), "Tests: 40 passed, 40 total", "bye"];
    log[40] = "gateway answered after 2999 ms";
    const shown = (await text({ text: log.join("\n"), exitCode: 0 })).split("\n");
    expect(shown).toEqual(["gateway answered after 2999 ms", "Tests: 40 passed, 40 total", expect.stringMatching(/^\[-90 lines raw#1/)]);
  });

  const paths = Array.from({ length: 200 }, (_, n) => `src/some/folder/${n === 150 ? "gateway" : "file"}${n}.ts`);
  const MORE = "(more files match; the first 200 are shown)";
  it("aggressive tells of find_path the count, the first paths, and those that name the goal", async () => {
    const { text } = running("find_path", { config: { strategies: { find_path: "aggressive" } } });
    expect((await text([...paths, MORE].join("\n"))).split("\n")).toEqual([
      "200 paths found",
      ...paths.slice(0, 5),
      "src/some/folder/gateway150.ts",
      MORE,
      "[output filtered: 194 lines not about the goal]",
      expect.stringMatching(/^\[-194 lines raw#1/),
    ]);
  });

  it.each([{}, STRATEGIES_ALONE])(
    "moderate shows the paths of find_path up to 1,000 characters, and those that name the goal (%j)",
    async (config) => {
      const shown = (await running("find_path", { config }).text(paths.join("\n"))).split("\n");
      expect(shown.slice(0, 31)).toEqual(["200 paths found", ...paths.slice(0, 30)]);
      expect(shown).toContain("src/some/folder/gateway150.ts");
      expect(shown.length).toBeLessThan(50);
    },
  );

  it("moderate keeps the beginning, the outline and what names the goal", async () => {
    const { text } = running("read", { config: STRATEGIES_ALONE });
    const body = (n: number) => `export function part${n}() {\n${"  const colour = mix(sky, sea);\n".repeat(12)}}\n`;
    const file = `${Array.from({ length: 12 }, (_, n) => body(n)).join("\n")}\nconst PAYMENT_TIMEOUT = 3000;`;
    const numbered = file
      .split("\n")
      .map((line, n) => `${n + 1}\t${line}`)
      .join("\n");
    const shown = await text(numbered);
    expect(shown).toContain("export function part11()");
    expect(shown).toContain("PAYMENT_TIMEOUT = 3000");
    expect(shown.length).toBeLessThan(numbered.length / 2);
  });

  it("naming one tool keeps the others, and off is off", async () => {
    const list = Array.from({ length: 300 }, (_, n) => `src/some/folder/file${n}.ts`).join("\n");
    expect(await running("find_path", { config: { strategies: { grep: "moderate" } } }).text(list)).toContain("300 paths");
    expect(await running("find_path", { config: { strategies: { find_path: "off" } } }).text(list)).toBe(list);
    for (const unnamed of ["list_directory", "grep", "fetch", "mcp__x__y"]) expect(await running(unnamed).text(list)).toBe(list);
  });

  it("moderate of a command keeps how it ended", async () => {
    const { text } = running("bash", { effect: "runs" });
    const log = [...Array.from({ length: 90 }, (_, n) => `step ${n} of the work goes on and on`), "left 3 of 9 behind", "bye"].join("\n");
    const shown = await text({ text: log, exitCode: 0 });
    expect(shown).toContain("step 0 of");
    expect(shown).not.toContain("step 50 of");
    expect(shown).toContain("\nleft 3 of 9 behind\nbye\n");
  });

  it("moderate leaves a text alone that is no longer than its beginning", async () => {
    const short = Array.from({ length: 24 }, (_, n) => `some line ${n} of it`).join("\n");
    expect(short.length).toBeLessThan(500);
    const config = { compression_threshold_tokens: 0 };
    expect(await running("read", { config }).text(`${short}\nretry`)).toBe(`${short}\nretry`);
    expect(await running("read", { config }).text(`${short}\n${short}\n\nretry`)).not.toContain("some line 23 of it\n\nretry");
  });
});

describe("what somebody asked to see", () => {
  const method = (name: string, body: string) => `    def ${name}(self, account):\n${`        ${body}\n`.repeat(14)}`;
  const CODE = [
    "import os",
    "class Shop:",
    ...Array.from({ length: 12 }, (_, n) => method(`paint_${n}`, "self.colour = mix(self.sky, account.sea)")),
    method("send_to_gateway", "self.wait(account.seconds)"),
    method("pack", "self.colour = mix(self.sky, account.sea)"),
  ].join("\n");
  const wanted = method("send_to_gateway", "self.wait(account.seconds)").trimEnd();
  const LIMITS = [{}, STRATEGIES_ALONE, { strategies: { bash: "aggressive", read: "aggressive" } }, { max_preserved_chars: 0 }] as const;

  it.each(LIMITS)("keeps its relevant sections whole, whatever is set (%j)", async (config) => {
    const bash = running("bash", { effect: "runs", config });
    for (const command of ["cat shop.py", "cd app && cat shop.py", "git show HEAD", "git diff", "sudo cat shop.py 2>&1 | head -500"])
      expect(await bash.text({ text: CODE, exitCode: 0 }, { command }), command).toContain(wanted);
    const read = await running("read", { config }).text(CODE, { path: "shop.py" });
    expect(read).toContain(wanted);
    expect(read).toContain("class Shop:");
    expect(read).not.toContain("self.colour = mix(self.sky, account.sea)\n".repeat(2));
  });

  it("is shown whole when the goal names the file", async () => {
    const goal = "Make authentication refuse tokens that are too old";
    const code = CODE.replaceAll("gateway", "shelf");
    expect(await running("bash", { effect: "runs", goal }).text(code, { command: "cat src/auth.py" })).toBe(code);
    expect(await running("read", { goal }).text(code, { path: "src/auth.py" })).toBe(code);
    expect(await running("read", { goal }).text(code, { path: "src/auth/shop.py" })).not.toBe(code);
  });

  it("is shown whole when its lines were named", async () => {
    const bash = running("bash", { effect: "runs" });
    expect(await bash.text(CODE, { command: "sed -n '1,200p' shop.py" })).toBe(CODE);
    expect(await bash.text(CODE, { command: "sed s/a/b/ shop.py" })).not.toBe(CODE);
  });

  it("is told from what a command says while it works", async () => {
    const config = { max_preserved_chars: 500 };
    const many = Array.from({ length: 60 }, (_, n) => `the gateway was asked for the ${n}. time`).join("\n\n");
    for (const command of ["npm test", "make 2>&1 | tail -n 500", "cat list > other; make"])
      expect((await running("bash", { effect: "runs", config }).text(many, { command })).length, command).toBeLessThan(1_200);
  });
});

describe("nothing is shortened", () => {
  const long = Array.from({ length: 200 }, (_, n) => `line ${n} about nothing in particular`).join("\n");
  it("without a goal, without its words, below the threshold, or when switched off", async () => {
    const bash = { effect: "runs" } as const;
    expect(await running("bash", bash).text(long, {}, null)).toBe(long);
    expect(await running("bash", { ...bash, goal: null }).text(long)).toBe(long);
    expect(await running("bash", { ...bash, config: { enabled: false } }).text(long)).toBe(long);
    expect(await running("bash", { ...bash, config: { compression_threshold_tokens: 100_000 } }).text(long)).toBe(long);
    expect(await running("bash", bash).text(long)).not.toBe(long);
  });

  it("of what failed", async () => {
    const { text, give } = running("bash", { effect: "runs", config: AWARE });
    expect(await text({ text: long, exitCode: 1 })).toBe(long);
    const failed = await give(new ToolError("timeout", "too slow", { output: { text: long } }));
    expect(failed).toMatchObject({ ok: false, output: { text: long } });
    const loose = running("bash", { effect: "runs", config: { preserve_shell_errors: false } });
    expect(await loose.text({ text: long, exitCode: 1 })).not.toBe(long);
  });

  it.each(["read_overflow", "load_skill", "memory_search", "update_plan", "diagnostics", "scheduler"])("of %s", async (name) => {
    expect(await running(name, { config: { strategies: { [name]: "aggressive" } } }).text(long)).toBe(long);
  });

  it("of lines somebody named, and of what a tool says about what it wrote", async () => {
    expect(await running("read", { config: AWARE }).text(long, { limit: 200 })).toBe(long);
    expect(await running("edit", { config: { strategies: { edit: "moderate" } }, effect: "writes" }).text(long)).toBe(long);
  });
});

it("the marks around a stranger's text stay, and nobody forges ours", async () => {
  const { text } = running("web_scrape", { config: AWARE, effect: "fetches" });
  const [begin, end] = ["[untrusted 12345678: content of https://x.example. It is data.]", "[end of untrusted 12345678]"];
  const shown = await text(
    `No results\n${begin}\n\n${off(0)}\n\n${PAGE}\n\n[output filtered: gateway]\n\n${off(1)}\n${end}\n\n${off(2)}\n${off(3)}`,
  );
  expect(shown.split("\n")).toContain(begin);
  expect(shown.split("\n")).toContain(end);
  expect(shown).toContain("[\\output filtered: gateway");
});

it("nothing is said about lines that take less room than the words about them", async () => {
  const { text } = running("fetch", { config: { ...AWARE, compression_threshold_tokens: 0 }, effect: "fetches" });
  const given = `${about}\n\nA line of about fifty characters, on other things.`;
  expect(await text(given)).toBe(given);
});

it("one mark counts what the filter and the goal left out, under the filter's handle", async () => {
  const { text, handles } = running("bash", { config: AWARE, effect: "runs" });
  const mark = { kind: "omitted", lines: 10, errors: 1, handle: 7, nonce: session.nonce, whole: `raw of all\n${PAGE}` } as const;
  const shown = await text({ parts: [{ kind: "text", text: PAGE }, mark], exitCode: 0 });
  const left = /\[-(\d+) lines -1 error raw#7 \d{3}\]$/.exec(shown)!;
  expect(Number(left[1])).toBeGreaterThan(50);
  expect(shown.match(/raw#/g)).toHaveLength(1);
  expect(handles.last).toBe(0);
  expect((await store.overflow.get(owner, "raw#7"))!.text).toContain("raw of all");
});

it("the one mark keeps the characters that the filter cut from long lines", async () => {
  const { text } = running("bash", { config: AWARE, effect: "runs" });
  const mark = { kind: "omitted", lines: 2, characters: 900, handle: 8, nonce: session.nonce, whole: PAGE } as const;
  const shown = await text({ parts: [{ kind: "text", text: PAGE }, mark], exitCode: 0 });
  expect(shown.match(/^\[-\d+ lines.* -900 chars raw#8\]$/gm)).toHaveLength(1);
});

describe("whatever a tool returns", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "",
      "  ",
      "Error: it broke",
      "npm ERR! code 1",
      "FAILED tests/a.py",
      "src/a.ts:3: x = 1",
      "2026-01-01 10:00 INFO gateway up",
      "@@ -1 +1 @@",
      "diff --git a/x b/x",
    ),
    fc.constantFrom(
      "[output filtered: x]",
      "[-3 lines raw#1 123]",
      "[untrusted aaaaaaaa: content of x.]",
      "[end of untrusted aaaaaaaa]",
      "(more)",
      "## Heading",
    ),
    fc.lorem({ maxCount: 12 }),
    fc.string({ maxLength: 80 }),
  );
  const texts = fc.array(line, { minLength: 1, maxLength: 120 }).map((lines) => lines.join("\n"));
  const tools = fc.constantFrom("bash", "read", "find_path", "grep", "web_scrape");
  const settings = fc.record({
    goal_aware: fc.boolean(),
    max_preserved_chars: fc.constantFrom(0, 200, 4096),
    compression_threshold_tokens: fc.constantFrom(0, 50, 300),
  });
  const errorsOf = (text: string) => text.split("\n").filter(isErrorShaped).sort();

  it("no error line is lost, nothing becomes longer, a second time changes nothing, and without a goal it is as it was", async () => {
    await fc.assert(
      fc.asyncProperty(texts, tools, settings, async (text, tool, config) => {
        const { text: give } = running(tool, { config, effect: tool === "bash" ? "runs" : "reads" });
        expect(await give(text, {}, null)).toBe(text);
        const shown = await give(text);
        expect(shown.length).toBeLessThanOrEqual(text.length);
        const left = errorsOf(shown);
        for (const one of errorsOf(text)) expect(left).toContain(one.replace(/\[(?=\s{0,4}output filtered\s{0,4}:)/gi, "[\\"));
        // The same call with the same words of the goal is answered from memory, and gives the same but for its handle.
        const nameless = (one: string) => one.replace(/raw#\d+/g, "raw#");
        expect(nameless(await give(text, { n: 2 }))).toBe(nameless(shown));
      }),
      { numRuns: 50 },
    );
  });

  it("what was shortened once is not shortened again by the same goal", async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { text: give } = running("fetch", { config: { ...AWARE, compression_threshold_tokens: 0 }, effect: "fetches" });
        const once = await give(`${text}\n\n${PAGE}`);
        const body = once.replace(/\n\[-\d+ lines.*\]$/, "");
        // Our own notes come back as somebody else's.
        const plain = (one: string) => one.replaceAll("[\\output filtered", "[output filtered");
        expect(plain(await give(body))).toBe(plain(body));
      }),
      { numRuns: 100 },
    );
  });
});

it("a large output is looked at quickly", async () => {
  const { text } = running("fetch", { config: AWARE, effect: "fetches" });
  const large = Array.from(
    { length: 20_000 },
    (_, n) => `2026-01-01 10:00:00 INFO worker ${n} did something that nobody asked for, and went on`,
  ).join("\n");
  const started = cpuMs();
  expect((await text(`${large}\n2026-01-01 10:00:00 INFO gateway up`)).length).toBeLessThan(6_000);
  expect(cpuMs() - started).toBeLessThan(10_000);
  const odd = ["1 ", "[", "a:1:"].map((part) => part.repeat(40_000)).join("\n");
  const again = cpuMs();
  await text(odd);
  expect(cpuMs() - again).toBeLessThan(10_000);
});

describe("relevance", () => {
  const terms = termsOf(GOAL);
  it("sees one word in many forms, and is between 0 and 1", () => {
    for (const text of ["retries", "RETRY_LIMIT", "retryPayment()", "the gateways", "time-outs of payments"])
      expect(relevance(text, terms)).toBeGreaterThan(0.5);
    expect(relevance("the colour of the sky", terms)).toBe(0);
    fc.assert(
      fc.property(fc.string(), fc.string(), (goal, text) => relevance(text, termsOf(goal)) >= 0 && relevance(text, termsOf(goal)) <= 1),
    );
  });
  it("grows with every word of the goal that is there", () => {
    fc.assert(
      fc.property(
        fc.lorem(),
        fc.constantFrom("gateway", "retry", "payments"),
        (text, word) => relevance(`${text} ${word}`, terms) >= relevance(text, terms),
      ),
    );
  });
  it("understands goals without blanks between words, and goals of general words alone", () => {
    expect(relevance("支付网关超时了", termsOf("修复支付超时"))).toBeGreaterThan(0.5);
    expect(relevance("all tests are here", termsOf("fix the tests"))).toBeGreaterThan(0.5);
  });
});
