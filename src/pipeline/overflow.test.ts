import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { anyCharacter } from "../../test/any-character.ts";
import { cpuMs } from "../../test/cpu.ts";
import { Door } from "../core/door.ts";
import type { ToolAnswer } from "../core/draft.ts";
import { ToolError } from "../core/error.ts";
import { omission } from "../core/marker.ts";
import type { Host } from "../core/ports/host.ts";
import type { Overflow } from "../core/ports/printed/overflow.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { type AnyTool, defineTool, NEVER } from "../core/tool.ts";
import { openStore } from "../store/open.ts";
import { readOverflow } from "../tools/read-overflow.ts";
import { overflowConfig } from "./config.ts";
import { createOverflowLayer } from "./overflow.ts";
import { createPipeline } from "./run.ts";

const store = openStore("memory");
afterAll(() => store.close());
const session = createSession();
const owner = { session: session.id };
const ownerOf = () => owner;
const note = `[zeph:${session.nonce.slice(0, 8)} `;

interface Options {
  readonly threshold?: number;
  readonly max?: number;
  readonly put?: Overflow["put"];
}

/** A pipeline with one tool that gives back what it is told to, and read_overflow. */
const running = ({ threshold = 1000, max = 10_485_760, put = store.overflow.put }: Options = {}, name = "printer") => {
  let next: ToolAnswer | ToolError = { text: "" };
  const printer = defineTool({
    name,
    description: "",
    input: z.strictObject({}),
    effect: "unknown",
    touches: () => [],
    run: async () => {
      if (next instanceof ToolError) throw next;
      return next;
    },
  });
  const reader = readOverflow(store.overflow, ownerOf);
  const pipeline = createPipeline({
    tools: () =>
      new Map<string, AnyTool>([
        [reader.name, reader],
        [printer.name, printer],
      ]),
    door: new Door(() => null, []),
    outer: [],
    inner: [createOverflowLayer({ store: { put }, config: { threshold, max_overflow_bytes: max }, nonce: session.nonce, ownerOf }).layer],
    host: {} as Host,
    retry: { max_attempts: 0, base_ms: 0, max_ms: 0, budget_secs: 0 },
    ask: async () => null,
  });
  const call = (tool: string, args: object) =>
    pipeline(ToolRequest.from({ id: randomUUID(), name: tool, args })!, { signal: NEVER, turn: session.current({}) });
  return {
    call,
    print: (output: ToolAnswer | ToolError) => {
      next = output;
      return call(name, {});
    },
  };
};
const shown = async (output: ToolAnswer, options?: Options) => (await running(options).print(output)).output!;
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");

it("the limits are those of the specification unless told otherwise", () =>
  expect(overflowConfig().parse({})).toMatchObject({ threshold: 50_000, retention_days: 7, max_overflow_bytes: 10 * 1024 * 1024 }));

it("a text that fits is left alone, to the last character", async () => {
  const output = { text: "x".repeat(1000), raw: [1], exitCode: 0 };
  expect(await shown(output)).toEqual(output);
  expect((await shown({ text: "x".repeat(1001) })).truncated).toBe(true);
});

describe("a text that is too long", () => {
  it("is shown by its beginning and its end, whole lines of both, and kept", async () => {
    const text = lines(1000);
    const output = await shown({ text, exitCode: 3 });
    expect(output).toMatchObject({ truncated: true, exitCode: 3, overflow: expect.any(String) });
    expect(output.text.length).toBeLessThanOrEqual(1000);
    expect(output.text.length).toBeGreaterThan(900);
    const [head, mark, tail] = output.text.split(/\n(\[zeph:[^\n]*\])\n/) as [string, string, string];
    expect(head).toMatch(/^line 1\nline 2\n(.*\n)*line \d+$/);
    expect(tail).toMatch(/^line \d+\n(.*\n)*line 1000\n$/);
    expect(mark).toMatch(
      /^\[zeph:[0-9a-f]{8} [\d,]+ characters in [\d,]+ lines left out; read_overflow shows all of it: overflow:[0-9a-f-]{36}\]$/,
    );
    expect(mark.startsWith(note)).toBe(true);
    const [, characters, left] = /([\d,]+) characters in ([\d,]+) lines/.exec(mark)!.map((n) => Number(n.replaceAll(",", "")));
    expect(head.length + tail.length + characters!).toBe(text.length);
    expect(head.split("\n").length + (tail.split("\n").length - 1) + left! - 1).toBe(1000);
    expect(await store.overflow.get(owner, output.overflow!)).toMatchObject({ text });
  });

  it("is read again by the id in it", async () => {
    const { print, call } = running();
    const { output } = await print({ text: lines(1000) });
    const [id] = /overflow:[0-9a-f-]+/.exec(output!.text)!;
    expect(await call("read_overflow", { id, lines: "500-501" })).toMatchObject({
      ok: true,
      output: { text: "500\tline 500\n501\tline 501\n(lines 500-501 of 1000)" },
    });
  });

  it("is bounded in a failure too", async () => {
    const failure = new ToolError("timeout", "slow", { output: { text: lines(1000) } });
    const outcome = await running().print(failure);
    expect(outcome).toMatchObject({ ok: false, error: { category: "timeout" }, output: { truncated: true, overflow: expect.any(String) } });
    expect(outcome.output!.text.length).toBeLessThanOrEqual(1000);
  });

  it("of read_overflow is its own affair, also where pieces are longer than the threshold", async () => {
    const { print, call } = running();
    const { output } = await print({ text: lines(2000) });
    const again = await call("read_overflow", { id: output!.overflow! });
    expect(again.output!.overflow).toBeUndefined();
    expect(again.output!.text.length).toBeGreaterThan(10_000);
  });

  it("fits whatever it is made of, is cut between characters, and is kept as it came", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom("\n", "🧪", "é", "x".repeat(700))), {
          minLength: 1,
          maxLength: 20,
        }),
        fc.integer({ min: 300, max: 3000 }),
        async (parts, threshold) => {
          const text = parts.join("").repeat(20).toWellFormed();
          const output = await shown({ text }, { threshold });
          expect(output.text.length).toBeLessThanOrEqual(threshold);
          expect(output.text.isWellFormed()).toBe(true);
          if (text.length <= threshold) return void expect(output.text).toBe(text);
          const [head, tail] = output.text.split(/\n?\[zeph:[^\n]*\]\n?/) as [string, string];
          expect(text.startsWith(head)).toBe(true);
          expect(text.endsWith(tail)).toBe(true);
          expect((await store.overflow.get(owner, output.overflow!))!.text === text).toBe(true);
        },
      ),
    ));

  it.each([1, 10, 100])("leaves only the note where the threshold is %i", async (threshold) =>
    expect((await shown({ text: lines(100) }, { threshold })).text).toMatch(/^\[zeph:[^\n]*\]$/),
  );

  it("costs time in proportion to its length", async () => {
    const started = cpuMs();
    await shown({ text: "x".repeat(10_000_000) }, { threshold: 50_000 });
    await shown({ text: "\n".repeat(4_000_000) }, { threshold: 50_000 });
    expect(cpuMs() - started).toBeLessThan(10_000);
  });
});

const mark = (handle: number, whole?: string) =>
  ({ kind: "omitted", lines: 9, handle, nonce: session.nonce, ...(whole !== undefined && { whole }) }) as const;

describe("the raw text of a shortened one", () => {
  it("is kept under its handle and does not travel on", async () => {
    const output = await shown({ parts: [{ kind: "text", text: "short" }, mark(3, "all ten lines")] });
    expect(output).toEqual({ text: `short\n${omission(mark(3))}` });
    expect(await store.overflow.get(owner, "raw#3")).toMatchObject({ text: "all ten lines" });
  });
  it("of a command that failed as well", async () => {
    const error = new ToolError("permanent_failure", "no", { output: { parts: [{ kind: "text", text: "short" }, mark(4, "everything")] } });
    expect((await running().print(error)).output).toEqual({ text: `short\n${omission(mark(4))}` });
    expect(await store.overflow.get(owner, "raw#4")).toMatchObject({ text: "everything" });
  });
  it("is kept beside the shortened text when even that is too long", async () => {
    const output = await shown({ parts: [{ kind: "text", text: lines(500) }, mark(5, lines(900))] });
    expect((await store.overflow.get(owner, "raw#5"))!.text).toBe(lines(900));
    expect((await store.overflow.get(owner, output.overflow!))!.text).toBe(`${lines(500)}\n${omission(mark(5))}`);
  });
});

describe("a store that fails", () => {
  const put = async () => {
    throw new Error("the disk\nis full");
  };
  it("does not fail the call: the text is cut all the same and says that the rest is not kept", async () => {
    const outcome = await running({ put }).print({ text: lines(1000) });
    expect(outcome).toMatchObject({ ok: true, output: { truncated: true } });
    expect(outcome.output).not.toHaveProperty("overflow");
    expect(outcome.output!.text).toMatch(/\n\[zeph:[0-9a-f]{8} [^\n]* left out and not kept: the disk is full\]\n/);
    expect(outcome.output!.text.length).toBeLessThanOrEqual(1000);
  });
  it("is told of a handle that leads nowhere", async () => {
    const output = await shown({ parts: [{ kind: "text", text: "short" }, mark(9, "long")] }, { put });
    expect(output).toEqual({ text: `short\n${omission(mark(9))}\n${note}raw#9 could not be kept: the disk is full]` });
  });
});

describe("a text too large to be kept whole", () => {
  it.each([
    ["one byte a character", "abcdefghi\n"],
    ["several bytes", "üé€🧪\n"],
  ])("is kept by its beginning and end, and both texts say so: %s", async (_what, piece) => {
    const text = piece.repeat(5000);
    const output = await shown({ text }, { max: 10_001 });
    expect(output.text).toContain("read_overflow shows what is kept of it, the middle is not");
    const kept = (await store.overflow.get(owner, output.overflow!))!.text;
    const [head, lost, tail] = kept.split(
      /\n\(([\d,]+) characters stood here and were not kept: tools.overflow.max_overflow_bytes is 10,001\)\n/,
    );
    expect(text.startsWith(head!) && text.endsWith(tail!)).toBe(true);
    expect(Buffer.byteLength(head! + tail!)).toBeLessThanOrEqual(10_001);
    expect(Buffer.byteLength(head! + tail!)).toBeGreaterThan(9_990);
    expect(head!.length + tail!.length + Number(lost!.replaceAll(",", ""))).toBe(text.length);
    expect(kept.isWellFormed()).toBe(true);
  });
  it("is kept whole where there is no limit, or just fits", async () => {
    const text = "ü".repeat(5000);
    for (const max of [0, 10_000]) {
      const output = await shown({ text }, { max });
      expect((await store.overflow.get(owner, output.overflow!))!.text === text).toBe(true);
      expect(output.text).toContain("shows all of it");
    }
    expect((await shown({ text }, { max: 9999 })).text).toContain("the middle is not");
  });
});
