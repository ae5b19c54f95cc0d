import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { caching, isHit, textOf } from "../../test/caching.ts";
import { ownFacets } from "../../test/own-facets.ts";
import { stopClock } from "../../test/stopped-clock.ts";
import type { Draft } from "../core/draft.ts";
import { ToolError } from "../core/error.ts";
import type { Look, Watch } from "../core/ports/watch.ts";
import { defineTool, type Effect, NEVER } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";
import { createLocalWatch } from "../host/files/watch.ts";
import { cacheConfig } from "./config.ts";

const place = caching();
afterAll(place.remove);
const { build, at } = place;
const put = (name: string, content: string) => writeFileSync(at(name), content);

/** A tool that says what it does and counts how often it is run. */
function counted(name: string, effect: Effect, touches: readonly Touch[], run: () => Promise<string> = async () => "ran") {
  let runs = 0;
  const tool = defineTool({
    name,
    description: "",
    effect,
    facets: ownFacets(name),
    input: z.strictObject({}),
    touches: () => touches,
    run: async () => ({ text: `${await run()} ${++runs}` }),
  });
  return { tool, runs: () => runs };
}

beforeEach(() => {
  for (const name of ["a.txt", "b.txt", "link", "tree"]) rmSync(at(name), { recursive: true, force: true });
  put("a.txt", "hello\n");
  utimesSync(at("a.txt"), 1, 1);
});

it("the cache is on for five minutes unless told otherwise", () =>
  expect(cacheConfig().parse({})).toMatchObject({ enabled: true, ttl_secs: 300 }));

describe("the same read again", () => {
  it.each([
    ["read", { path: "a.txt" }],
    ["grep", { pattern: "hello" }],
    ["find_path", { path: ".", pattern: "*.txt" }],
    ["list_directory", { path: "." }],
  ])("of %s is answered from memory, right after the file was written", async (name, args) => {
    const { call, stats } = build();
    const first = await call(name, args);
    const second = await call(name, args, NEVER, "second");
    expect(isHit(first)).toBe(false);
    expect(second).toEqual({ ...first, callId: "second", cached: true });
    expect(stats()).toMatchObject({ hits: 1, misses: 1, stale: 0, entries: 1, bytes: expect.any(Number) });
  });

  it("has its own id, grant and decision", async () => {
    const { call } = build();
    await call("read", { path: "a.txt" });
    expect(await call("read", { path: "a.txt" }, NEVER, "mine")).toMatchObject({
      callId: "mine",
      grant: { kind: "preapproved" },
      decision: { verdict: "allow", by: "rules" },
      cached: true,
    });
  });

  it("does not depend on the order of its arguments, and on everything else", async () => {
    const { call } = build();
    await call("read", { path: "a.txt", offset: 1, limit: 5 });
    expect(isHit(await call("read", { limit: 5, offset: 1, path: "a.txt" }))).toBe(true);
    expect(isHit(await call("read", { path: "a.txt", offset: 1, limit: 6 }))).toBe(false);
    expect(isHit(await call("read", { path: "./a.txt", offset: 1, limit: 5 }))).toBe(false);
  });

  it("is the caller's own to change", async () => {
    const { call } = build();
    const first = await call("grep", { pattern: "hello" });
    (first.output!.raw as unknown[]).push("mine");
    const second = await call("grep", { pattern: "hello" });
    expect((second.output!.raw as unknown[]).length).toBe(1);
    (second.output!.raw as { text: string }[])[0]!.text = "changed";
    const third = await call("grep", { pattern: "hello" });
    expect(isHit(third)).toBe(true);
    expect(third.output!.raw).toMatchObject([{ text: "hello" }]);
  });

  it("made twice at once is run twice and right both times", async () => {
    const { call } = build();
    const both = await Promise.all([call("read", { path: "a.txt" }), call("read", { path: "a.txt" })]);
    expect(both.map(textOf)).toEqual(["1\thello", "1\thello"]);
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(true);
  });

  it("that was cancelled is no answer, and harms none", async () => {
    const { call } = build();
    await call("read", { path: "a.txt" });
    const stop = new AbortController();
    stop.abort();
    expect(await call("read", { path: "a.txt" }, stop.signal)).toMatchObject({ ok: false, error: { category: "cancelled" } });
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(true);
  });
});

describe("what is never from memory:", () => {
  const read: Touch = { kind: "path", access: "read", path: "a.txt" };
  it.each([
    ["memory_search", "reads", [read]],
    ["read_overflow", "reads", [read]],
    ["diagnostics", "reads", [read]],
    ["mcp__files__read", "reads", [read]],
    ["mcp__web__get", "fetches", [{ kind: "url", url: "https://x" }]],
    ["reads_what_nobody_knows", "reads", []],
    ["reads_something_else", "reads", [read, { kind: "unknown", why: "x" }]],
    ["saves", "stores", [read]],
    ["writes", "writes", [read]],
    ["runs", "runs", [read]],
    ["does_anything", "unknown", [read]],
  ] as const)("%s", async (name, effect, touches) => {
    const { tool, runs } = counted(name, effect, touches);
    const { call } = build({ more: [tool] });
    for (let i = 0; i < 3; i++) expect(isHit(await call(name))).toBe(false);
    expect(runs()).toBe(3);
  });

  it("a failure is run again, whatever it produced", async () => {
    let runs = 0;
    const failing = counted("failing", "reads", [read], async () => {
      runs++;
      throw new ToolError("permanent_failure", "no", { output: { text: "half" } });
    });
    const { call } = build({ more: [failing.tool] });
    await call("failing");
    await call("failing");
    expect(runs).toBe(2);
  });

  it("a read is done again when the cache is switched off or nobody can look at the files", async () => {
    for (const options of [{ enabled: false }, { watch: null }]) {
      const { call, stats } = build(options);
      for (let i = 0; i < 2; i++) expect(isHit(await call("read", { path: "a.txt" }))).toBe(false);
      expect(stats().entries).toBe(0);
    }
  });

  it("another conversation gets its own answer, which may refer to what is kept for one", async () => {
    let scope = "one";
    const { call } = build({ scopeOf: () => scope });
    await call("read", { path: "a.txt" });
    scope = "two";
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(false);
    scope = "one";
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(true);
  });
});

describe("a file that was changed a moment ago", () => {
  /** The clock stands still: how long the machine takes for a call says nothing. */
  const stopAfter = (ms: number, file: string) => vi.useFakeTimers({ toFake: ["Date"], now: statSync(at(file)).ctimeMs + ms });
  afterEach(() => void vi.useRealTimers());
  it("is not trusted where two changes may bear the same time", async () => {
    const sharp = createLocalWatch(place.facts);
    const blunted = <L extends Look>(look: L): L => ({ ...look, sharp: false });
    const watch: Watch = {
      target: async (...of) => blunted((await sharp.target(...of))!),
      way: (...of) => sharp.way(...of)!.map((step) => step.map(blunted)),
    };
    const { call } = build({ watch });
    stopAfter(0, "a.txt");
    for (let i = 0; i < 2; i++) expect(isHit(await call("read", { path: "a.txt" }))).toBe(false);
    stopAfter(5000, "a.txt");
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(false);
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(true);
  });

  it("keeps a large tree out, of which there is no look before the call", async () => {
    mkdirSync(at("tree"));
    for (let i = 0; i < 300; i++) put(`tree/${i}.txt`, "hello\n");
    const { call } = build();
    const search = () => call("grep", { pattern: "hello", path: "tree" });
    stopAfter(0, "tree/299.txt");
    for (let i = 0; i < 2; i++) expect(isHit(await search())).toBe(false);
    stopAfter(5000, "tree/299.txt");
    await search();
    expect(isHit(await search())).toBe(true);
    put("tree/7.txt", "other\n");
    expect(isHit(await search())).toBe(false);
  });

  it("and of a tree that is larger still no answer is given again", async () => {
    mkdirSync(at("tree"));
    for (let i = 0; i < 2001; i++) put(`tree/${i}.txt`, "");
    stopAfter(5000, "tree/2000.txt");
    const { call, stats } = build();
    for (let i = 0; i < 2; i++) expect(isHit(await call("grep", { pattern: "hello", path: "tree" }))).toBe(false);
    expect(stats()).toMatchObject({ hits: 0, misses: 2 });
    await call("list_directory", { path: "tree" });
    expect(isHit(await call("list_directory", { path: "tree" }))).toBe(true);
  });
});

describe("a page", () => {
  it("is good for its age alone", async () => {
    const page = counted("fetch", "fetches", [{ kind: "url", url: "https://example.org" }]);
    const pass = stopClock();
    const { call } = build({ more: [page.tool], ttl_secs: 60 });
    await call("fetch");
    pass(59_000);
    expect(isHit(await call("fetch"))).toBe(true);
    pass(2000);
    expect(isHit(await call("fetch"))).toBe(false);
  });
  it("that is kept by who fetched it is not kept here, and counts as they say", async () => {
    let times = 0;
    const tool = defineTool({
      ...counted("fetch", "fetches", [{ kind: "url", url: "https://example.org" }]).tool,
      run: async (): Promise<Draft> => ({ parts: [{ kind: "text", text: "page" }], ownCache: times++ === 1 ? "hit" : "miss" }),
    });
    const { call, stats } = build({ more: [tool] });
    const hits = [];
    for (let i = 0; i < 3; i++) hits.push(isHit(await call("fetch")));
    expect(hits).toEqual([false, true, false]);
    expect(times).toBe(3);
    expect(stats()).toMatchObject({ hits: 1, misses: 2, entries: 0 });
  });
  it("never grows old where ttl_secs is 0", async () => {
    const page = counted("fetch", "fetches", [{ kind: "url", url: "https://example.org" }]);
    const pass = stopClock();
    const { call } = build({ more: [page.tool], ttl_secs: 0 });
    await call("fetch");
    pass(1e9);
    expect(isHit(await call("fetch"))).toBe(true);
  });
});

describe("a call that may change something", () => {
  it.each(["writes", "runs", "unknown"] as const)("empties it before and after, though it %s elsewhere and fails", async (effect) => {
    const seen: number[] = [];
    const { tool } = counted("changer", effect, [], async () => {
      seen.push(built.stats().entries);
      throw new ToolError("permanent_failure", "no");
    });
    const built = build({ more: [tool] });
    await built.call("read", { path: "a.txt" });
    expect(built.stats().entries).toBe(1);
    await built.call("changer");
    expect([...seen, built.stats().entries]).toEqual([0, 0]);
    expect(isHit(await built.call("read", { path: "a.txt" }))).toBe(false);
  });

  it("keeps out what is read while it runs, and what was being read when it began", async () => {
    let release: (() => void) | undefined;
    let reading: (() => void) | undefined;
    const slowRead = counted(
      "slow_read",
      "reads",
      [{ kind: "path", access: "read", path: "a.txt" }],
      () => new Promise((resolve) => (reading = () => resolve("read"))),
    );
    const writer = counted("writer", "writes", [], () => new Promise((resolve) => (release = () => resolve("wrote"))));
    const { call, stats } = build({ more: [slowRead.tool, writer.tool] });
    const early = call("slow_read");
    await expect.poll(() => reading).toBeDefined();
    const writing = call("writer");
    await expect.poll(() => release).toBeDefined();
    await call("read", { path: "a.txt" });
    expect(stats().entries).toBe(0);
    release?.();
    await writing;
    reading?.();
    await early;
    expect(stats().entries).toBe(0);
  });

  it("that only saves to the store leaves it alone", async () => {
    const { tool } = counted("saver", "stores", []);
    const { call } = build({ more: [tool] });
    await call("read", { path: "a.txt" });
    await call("saver");
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(true);
  });
});

describe("while files are looked at,", () => {
  /** Every look from the nth on waits until it is let go. */
  const waiting = (n: number) => {
    const real = createLocalWatch(place.facts);
    let looks = 0;
    let isReached = false;
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const watch: Watch = {
      way: real.way,
      target: async (...of) => {
        if (++looks >= n) {
          isReached = true;
          await gate;
        }
        return real.target(...of);
      },
    };
    return { watch, letGo, reached: () => expect.poll(() => isReached).toBe(true) };
  };

  it("a change in between keeps an answer from being kept", async () => {
    const { watch, letGo, reached } = waiting(1);
    const { call, stats } = build({ watch, more: [counted("writer", "writes", []).tool] });
    const reading = call("read", { path: "a.txt" });
    await reached();
    await call("writer");
    letGo();
    await reading;
    expect(stats().entries).toBe(0);
  });

  it("a change in between keeps an answer from being given", async () => {
    const { watch, letGo, reached } = waiting(2);
    const { call } = build({ watch, more: [counted("writer", "writes", []).tool] });
    await call("read", { path: "a.txt" });
    const again = call("read", { path: "a.txt" });
    await reached();
    await call("writer");
    letGo();
    expect(isHit(await again)).toBe(false);
  });

  it("a call can be cancelled", async () => {
    const { watch, letGo, reached } = waiting(2);
    const { call } = build({ watch });
    await call("read", { path: "a.txt" });
    const stop = new AbortController();
    const again = call("read", { path: "a.txt" }, stop.signal);
    await reached();
    stop.abort();
    letGo();
    expect(await again).toMatchObject({ ok: false, error: { category: "cancelled" } });
  });
});

describe("an answer no longer holds when", () => {
  const later = () => new Promise((resolve) => setTimeout(resolve, 2));
  it.each<[string, () => void]>([
    ["the text changed", () => put("a.txt", "other\n")],
    ["it has the same length", () => put("a.txt", "hullo\n")],
    [
      "it has the same length and the time was set back",
      () => {
        put("a.txt", "hullo\n");
        utimesSync(at("a.txt"), 1, 1);
      },
    ],
    [
      "another file of the same length and time took its name",
      () => {
        put("b.txt", "hullo\n");
        utimesSync(at("b.txt"), 1, 1);
        renameSync(at("b.txt"), at("a.txt"));
      },
    ],
    [
      "a link took its place",
      () => {
        put("b.txt", "hullo\n");
        unlinkSync(at("a.txt"));
        symlinkSync("b.txt", at("a.txt"));
      },
    ],
    ["it is gone", () => unlinkSync(at("a.txt"))],
  ])("%s", async (_what, change) => {
    const { call, fresh, stats } = build();
    await call("read", { path: "a.txt" });
    await later();
    change();
    const outcome = await call("read", { path: "a.txt" });
    expect(isHit(outcome)).toBe(false);
    expect(textOf(outcome)).toBe(textOf(await fresh("read", { path: "a.txt" })));
    expect(stats()).toMatchObject({ hits: 0, misses: 2, stale: 1 });
  });

  it("a link leads elsewhere, and it holds again for neither", async () => {
    put("b.txt", "other\n");
    symlinkSync("a.txt", at("link"));
    const { call } = build();
    expect(textOf(await call("read", { path: "link" }))).toBe("1\thello");
    unlinkSync(at("link"));
    symlinkSync("b.txt", at("link"));
    expect(textOf(await call("read", { path: "link" }))).toBe("1\tother");
  });

  it("it is too old", async () => {
    const pass = stopClock();
    const { call, stats } = build({ ttl_secs: 60 });
    await call("read", { path: "a.txt" });
    pass(61_000);
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(false);
    expect(stats().stale).toBe(1);
  });

  it("it was forgotten, with the counts", async () => {
    const { call, clear, stats } = build();
    await call("read", { path: "a.txt" });
    clear();
    expect(stats()).toEqual({ hits: 0, misses: 0, stale: 0, entries: 0, bytes: 0 });
    expect(isHit(await call("read", { path: "a.txt" }))).toBe(false);
  });
});

it("the cache is bounded: few entries, few bytes, nothing large", async () => {
  const { call, stats } = build();
  put("a.txt", `${"x".repeat(100)}\n`.repeat(2000));
  for (let i = 1; i <= 260; i++) await call("read", { path: "a.txt", offset: i });
  expect(stats().entries).toBeLessThanOrEqual(200);
  expect(stats().bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect(isHit(await call("read", { path: "a.txt", offset: 260 }))).toBe(true);
  expect(isHit(await call("read", { path: "a.txt", offset: 1 }))).toBe(false);
  const large = counted("large", "reads", [{ kind: "path", access: "read", path: "a.txt" }], async () => "x".repeat(2_000_000));
  const other = build({ more: [large.tool] });
  await other.call("large");
  expect(other.stats().entries).toBe(0);
});
