import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Draft, outputOf } from "../src/core/draft.ts";
import { ToolError } from "../src/core/error.ts";
import { defineTool, NEVER, type ToolOutput } from "../src/core/tool.ts";
import { filtersConfig } from "../src/filters/config.ts";
import { createOutputFilter } from "../src/filters/output.ts";
import { compileSecretPatterns } from "../src/filters/secrets/custom-patterns.ts";
import { createSecretFinder } from "../src/filters/secrets/secrets.ts";
import { createFilterStats } from "../src/filters/stats.ts";
import { openTexts } from "../src/host/texts/threads.ts";
import { filterOutput, filterOutputAsync } from "../src/index.ts";
import { type CleanOptions, cleanTexts } from "../src/pipeline/clean.ts";
import { createLongCleaner } from "../src/pipeline/clean-long.ts";
import { createFilterLayer } from "../src/pipeline/filter.ts";
import { longestStretch } from "./cpu.ts";
import { workspace } from "./workspace.ts";

// In pieces, so that nobody takes it for a real one.
const token = (n: number) => `gh${"p_"}${"a1B2c3D4".repeat(4)}${String(n).padStart(6, "0")}`;
const WORKER = new URL("../src/runtime/text-worker.js", import.meta.url);
const spaces: ReturnType<typeof workspace>[] = [];
afterEach(() => {
  for (const space of spaces.splice(0)) space.remove();
});

describe("a long text, worked on in the thread", () => {
  const texts = openTexts(WORKER);
  afterAll(() => texts.close());
  const config = filtersConfig().parse({ security: { extra_patterns: ["acct-[0-9]{8}"] } });
  const own = ["our-own-key-of-a-provider"];
  const inline = createSecretFinder(compileSecretPatterns(config.security.extra_patterns), new Set(own));
  const filter = createOutputFilter(config, null, inline);
  const long = createLongCleaner(texts, () => ({ config, file: null, own }));

  const lines = (line: (n: number) => string, count = 1000) => Array.from({ length: count }, (_, n) => line(n)).join("\n");
  /** Too much for a thread that may take next to no time or memory, however little the others are given. */
  const KEYS = lines((n) => `api_key=${token(n)}`, 4000);
  const TEXTS: Record<string, string> = {
    "keys of its own in each line": lines((n) => `api_key=${token(n)}`),
    "nothing to hide": lines((n) => `line ${n} of the log`),
    "the same error again": lines(() => "error: connection refused"),
    "one line": "abc def ".repeat(20_000),
    "other scripts and half characters": lines((n) => `Ошибка ${n} \ud83d\ude00 \ud83d пароль`),
    "what a person added": lines((n) => `row ${n} acct-${10_000_000 + n} our-own-key-of-a-provider`),
    "our notes": lines((n) => `[zeph:00000000 ${n}] [-5 lines]`),
    "colours and redrawn lines": lines((n) => `\r\x1b[2K\x1b[32m${n}%\x1b[0m`),
  };
  const OPTIONS: Record<string, CleanOptions> = {
    "printed by a program": { printed: { at: 0, command: "make", exitCode: 1 }, notes: [], handle: 7, nonce: "0badcafe" },
    "of a file": { printed: { at: 0, command: "cat x.txt", exitCode: 0 }, notes: [], handle: 7, nonce: "0badcafe" },
    "of any tool": { printed: null, notes: [], handle: 0, nonce: "0badcafe" },
  };

  it.each(Object.keys(TEXTS).flatMap((name) => Object.keys(OPTIONS).map((how) => [name, how] as const)))(
    "comes out as it would here: %s, %s",
    async (name, how) => {
      const body = TEXTS[name]!;
      const strings = {
        texts: [body, "[exit code 1]"],
        others: [`${body}\n`, "", "short", body.slice(0, 50_000), ...body.split("\n").slice(0, 50)],
        message: `It failed: ${token(1)}`,
      };
      const options = OPTIONS[how]!;
      expect(await long(strings, options, NEVER)).toEqual(cleanTexts(strings, options, { filter, secrets: inline.secrets }));
    },
  );

  it("is given up when it takes longer than it may, and the next one is read", async () => {
    const short = openTexts(WORKER, { timeMs: 1 });
    const hurried = createLongCleaner(short, () => ({ config, file: null, own: [] }));
    const strings = { texts: [KEYS.repeat(10)], others: [], message: null };
    const options = OPTIONS["of any tool"]!;
    await expect(hurried(strings, options, NEVER)).rejects.toThrow("took longer than 0.001 s");
    await short.close();
    expect((await long({ ...strings, texts: ["x"] }, options, NEVER)).texts).toEqual(["x"]);
  });

  it("is given up when it takes more memory than it may", async () => {
    const small = openTexts(WORKER, { memoryMb: 4 });
    const cramped = createLongCleaner(small, () => ({ config, file: null, own: [] }));
    const strings = { texts: [KEYS.repeat(40)], others: [], message: null };
    await expect(cramped(strings, OPTIONS["printed by a program"]!, NEVER)).rejects.toThrow(/memory|broke down/);
    await small.close();
  });

  it("lets go when the call is cancelled", async () => {
    const stop = new AbortController();
    const strings = { texts: [KEYS.repeat(10)], others: [], message: null };
    const waiting = long(strings, OPTIONS["of any tool"]!, stop.signal);
    setTimeout(() => stop.abort(new Error("enough")), 20);
    await expect(waiting).rejects.toThrow("enough");
  });

  it("is refused when too many wait", async () => {
    const narrow = openTexts(WORKER, { waiting: 1 });
    const job = createLongCleaner(narrow, () => ({ config, file: null, own: [] }));
    const strings = { texts: [KEYS], others: [], message: null };
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => job(strings, OPTIONS["of any tool"]!, NEVER)));
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
    await narrow.close();
  });

  it("is read no more once closed, and whoever else is open goes on", async () => {
    const [one, two] = [openTexts(WORKER), openTexts(WORKER)];
    await one.close();
    await one.close();
    const read = (with_: typeof one) =>
      createLongCleaner(with_, () => ({ config, file: null, own: [] }))(
        { texts: ["x"], others: [], message: null },
        OPTIONS["of any tool"]!,
        NEVER,
      );
    await expect(read(one)).rejects.toThrow("closed");
    expect((await read(two)).texts).toEqual(["x"]);
    await two.close();
  });
});

describe("filterOutputAsync", () => {
  const raw = Array.from({ length: 5000 }, (_, n) => (n % 7 === 0 ? `error: ${n} refused` : `api_key=${token(n)}`)).join("\n");

  it("answers as filterOutput does, while the loop goes on", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    for (const request of [
      { command: "make", raw, exitCode: 2 },
      { command: "cat x.txt", raw, exitCode: 0, filters: { security: { extra_patterns: ["refused"] } } },
      { command: "make", raw: "short", exitCode: 0 },
      { command: "make", raw: "", exitCode: 0 },
    ])
      expect(await filterOutputAsync(request)).toEqual(filterOutput(request));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  it("rejects what filterOutput throws, and what is cancelled", async () => {
    const bad = { command: "make", raw, exitCode: 0, filters: { nonsense: 1 } } as never;
    expect(() => filterOutput(bad)).toThrow("nonsense");
    await expect(filterOutputAsync(bad)).rejects.toThrow("nonsense");
    await expect(
      filterOutputAsync({ command: "make", raw, exitCode: 0 }, { signal: AbortSignal.abort(new Error("enough")) }),
    ).rejects.toThrow("enough");
  });
});

describe("a runtime whose tools bring megabytes of somebody's text", () => {
  async function start(returns: () => ToolOutput) {
    const space = workspace([]);
    spaces.push(space);
    const give = defineTool({
      name: "give",
      description: "Gives what it was told to.",
      effect: "reads",
      input: z.object({}),
      touches: () => [],
      run: async () => returns(),
    });
    const audit = join(space.state, "audit.jsonl");
    const zeph = await space.runtime({ config: { audit: { path: audit } }, toolsets: [{ id: "mine", list: () => [give] }] });
    return { zeph, audit };
  }
  const text = Array.from({ length: 20_000 }, (_, n) => `api_key=${token(n)}`).join("\n");

  it("goes on ticking while they are searched for secrets, and shows none", async () => {
    const { zeph, audit } = await start(() => ({ text, raw: { stdout: text, list: text.split("\n") }, diff: text }));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const outcome = await zeph.call("give", {});
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(50);
    const all =
      JSON.stringify([outcome, await zeph.callAny("read_overflow", { id: outcome.output!.overflow })]) + readFileSync(audit, "utf8");
    expect(all).not.toMatch(/gh[p]_a1B2/);
    expect(all).toContain("[redacted:access-token]");
    await zeph.close();
  });

  it("goes on ticking, and shows none, when it is an error's message", async () => {
    const { zeph } = await start(() => {
      throw new ToolError("permanent_failure", text);
    });
    const outcome = await zeph.call("give", {});
    expect(JSON.stringify([outcome, outcome.ok ? "" : outcome.error.message])).not.toMatch(/gh[p]_a1B2/);
    await zeph.close();
  });

  it("is withheld, with the reason, when it could not be searched, and is stored nowhere", async () => {
    const { layer } = createFilterLayer({
      filter: () => Promise.reject(new Error("not asked for")),
      secrets: createSecretFinder().secrets,
      long: () => Promise.reject(new ToolError("permanent_failure", "reading the text took longer than 120 s")),
      nonce: "0badcafe",
      stats: createFilterStats(),
      handlesOf: async () => ({ last: 0 }),
    });
    const parts = [{ kind: "printed", text, command: "make" }] as const;
    const output: Draft = { parts, raw: { stdout: text }, diff: text, exitCode: 3 };
    const error = new ToolError("timeout", `It took too long. ${token(1)}`, { output });
    const permit = { call: { tool: { effect: "runs" }, input: {}, touches: [] } } as never;
    const ctx = { turn: { turnId: "t" }, signal: NEVER } as never;
    const decision = { verdict: "allow" } as const;
    const made = [
      await layer(permit, ctx, async () => ({ ok: true, callId: "1", output, decision, grant: null as never, cached: false })),
      await layer(permit, ctx, async () => ({ ok: false, callId: "2", error, output, decision })),
    ];
    for (const outcome of made) {
      const note = "[zeph:0badcafe an output of 1,019,999 characters is withheld, because it could not be searched for secrets: ";
      expect(outputOf(outcome.output!).text).toBe(`${note}reading the text took longer than 120 s]`);
      expect(outcome.output).toMatchObject({ exitCode: 3, truncated: true });
      expect(Object.keys(outcome.output!)).toEqual(["parts", "truncated", "exitCode"]);
    }
    expect(made[1]).toMatchObject({ error: { category: "timeout", message: "It took too long. [redacted:access-token]" } });
    expect(made[1]!.ok || made[1]!.error.output).toBeUndefined();
  });
});

describe.skipIf(process.platform !== "linux")("the main thread of a runtime that handles four megabytes", () => {
  /** What one stretch of work may take on a loaded machine; before texts went to a thread it was seconds. */
  const LONGEST_MS = 250;
  const SIZE = 4_000_000;
  const linesOf = (line: (n: number) => string) => {
    const lines: string[] = [];
    for (let size = 0; size < SIZE; size += lines.at(-1)!.length + 1) lines.push(line(lines.length));
    return lines.join("\n");
  };
  const open = async (text: string) => {
    const space = workspace([{ op: "file", path: "work/long.txt", content: text }]);
    spaces.push(space);
    return space.runtime({ config: { autonomy: "full" } });
  };

  it.each([
    ["lines of api_key=", (n: number) => `api_key=${token(n)}`],
    ["equal lines of an error", () => "error: connection refused by 10.0.0.7:5432"],
  ])("goes on with other work while bash prints %s", async (_what, line) => {
    const zeph = await open(linesOf(line));
    // What is loaded with the first command is loaded.
    await zeph.call("bash", { command: "true" });
    const { result, ms } = await longestStretch(() => zeph.call("bash", { command: "cat long.txt" }));
    await zeph.close();
    expect(result).toMatchObject({ ok: true });
    expect(result.output!.text).toMatch(/\[-[\d,]+ lines/);
    expect(result.output!.text.length).toBeLessThan(40_000);
    expect(result.output!.text).not.toMatch(/gh[p]_a1B2/);
    expect(ms).toBeLessThan(LONGEST_MS);
  });

  it("says at once that a command of that length is not run", async () => {
    const zeph = await open("");
    await zeph.call("bash", { command: "true" });
    const command = `cat <<'END'\n${linesOf((n) => `api_key=${token(n)}`)}\nEND`;
    const { result, ms } = await longestStretch(() => zeph.call("bash", { command }));
    await zeph.close();
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining("longer than 64 kB") } });
    expect(ms).toBeLessThan(LONGEST_MS);
  });
});
