import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { anyCharacter } from "../../test/any-character.ts";
import { cpuMs } from "../../test/cpu.ts";
import { Door } from "../core/door.ts";
import type { Host } from "../core/ports/host.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { type AnyTool, NEVER, type ToolOutput } from "../core/tool.ts";
import { createPipeline } from "../pipeline/run.ts";
import { openStore } from "../store/open.ts";
import { readOverflow } from "./read-overflow.ts";

const store = openStore("memory");
afterAll(() => store.close());
const session = createSession();
const owner = { session: session.id };
const tool = readOverflow(store.overflow, ({ sessionId }) => ({ session: sessionId }));
const pipelineOf = (tool: AnyTool) =>
  createPipeline({
    tools: () => new Map([[tool.name, tool]]),
    door: new Door(() => null, []),
    outer: [],
    inner: [],
    host: {} as Host,
    retry: { max_attempts: 0, base_ms: 0, max_ms: 0, budget_secs: 0 },
    ask: async () => null,
  });
const pipeline = pipelineOf(tool);
const call = (args: Record<string, unknown>, signal = NEVER) =>
  pipeline(ToolRequest.from({ id: randomUUID(), name: tool.name, args })!, { signal, turn: session.current({}) });
const look = async (text: string, how: Record<string, unknown> = {}): Promise<ToolOutput> => {
  const outcome = await call({ id: await store.overflow.put({ owner, text }), ...how });
  if (outcome.ok) return outcome.output;
  return { text: `${outcome.error.category}: ${outcome.error.message}` };
};
const shown = async (text: string, how?: Record<string, unknown>) => (await look(text, how)).text;

describe("the id", () => {
  it.each([
    "../../zeph.db",
    "overflow:",
    "",
    "raw#",
    "raw#0",
    "raw#-1",
    "raw#1.5",
    "raw#1 or 1=1",
    "' or 1=1 --",
    "0".repeat(36),
    "x\u0000",
  ])("is checked before anything is asked of the store: %j", async (id) => {
    let asked = 0;
    const get = async () => {
      asked++;
      return null;
    };
    const watched = readOverflow({ get }, () => owner);
    const outcome = await pipelineOf(watched)(ToolRequest.from({ id: "1", name: watched.name, args: { id } })!, {
      signal: NEVER,
      turn: session.current({}),
    });
    expect(outcome).toMatchObject({ ok: false, error: { category: "invalid_parameters" } });
    expect(asked).toBe(0);
  });

  it("is taken as it stands in the text, with or without its prefix, in letters of any size", async () => {
    const id = await store.overflow.put({ owner, text: "all of it" });
    for (const written of [id, `overflow:${id}`, id.toUpperCase(), `Overflow:${id}`])
      expect(await call({ id: written })).toMatchObject({ ok: true, output: { text: "all of it" } });
    await store.overflow.put({ owner, handle: 12, text: "raw text" });
    expect(await call({ id: "raw#12" })).toMatchObject({ ok: true, output: { text: "raw text" } });
  });

  it("of another session, of a conversation, or of nobody is not found", async () => {
    const { id: conversation } = await store.conversations.create("/w", "t");
    const theirs = [{ session: "another" }, { conversation }].map((owner) => store.overflow.put({ owner, handle: 77, text: "secret" }));
    for (const id of [...(await Promise.all(theirs)), randomUUID(), "raw#77"]) {
      const outcome = await call({ id });
      expect(outcome).toMatchObject({ ok: false, error: { category: "permanent_failure", message: expect.stringContaining("NotFound") } });
      expect(JSON.stringify(outcome)).not.toContain("secret");
    }
  });
});

describe("one way of looking at a time", () => {
  it.each([
    [{ lines: "1-2", pattern: "x" }, "use one way"],
    [{ range: "0-5", json_path: "$" }, "use one way"],
    [{ context: 2 }, "goes with pattern only"],
    [{ lines: "ten" }, '"10-40"'],
    [{ lines: "1-2-3" }, '"10-40"'],
    [{ range: "" }, '"10-40"'],
    [{ range: [1] }, '"10-40"'],
    [{ lines: "40-10" }, "ends before it begins"],
    [{ offset: 3 }, "is not an argument"],
    [{ pattern: "(" }, "missing closing"],
    [{ pattern: "(?=x)" }, "RE2"],
    [{ json_path: "a.b" }, 'begins with "$"'],
    [{ json_path: "$.a[" }, "not understood"],
    [{ json_path: "$..a" }, "not understood"],
  ])("%j is refused", async (how, why) => {
    const text = await shown("a\nb", how);
    expect(text).toMatch(/^invalid_parameters: /);
    expect(text).toContain(why);
  });
});

describe("range", () => {
  const text = "0123456789".repeat(5000);
  it.each([
    ["0-5", "01234\n(characters 0-5 of 50000)"],
    [[3, 6], "345\n(characters 3-6 of 50000)"],
    ["-4", "6789\n(characters 49996-50000 of 50000)"],
    ["49990-99999", "0123456789\n(characters 49990-50000 of 50000)"],
    ["50000-", "(the text has 50000 characters; 50000 is past the end)"],
  ])("%j", async (range, expected) => expect(await shown(text, { range })).toBe(expected));

  it("shows the beginning when nothing is said, and how to go on", async () => {
    const { text: first, truncated } = await look(text);
    expect(first.endsWith('\n(characters 0-20000 of 50000; go on with range "20000-40000")')).toBe(true);
    expect(truncated).toBe(true);
    expect((await look("short")).truncated).toBeUndefined();
    expect(await shown("short")).toBe("short");
    expect(await shown("")).toBe("(the text is empty)");
  });

  it("leads through the whole text, each character once, and never cuts one in two", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 300 }), async (piece) => {
        const whole = piece.repeat(Math.ceil(60_000 / piece.length)).toWellFormed();
        let range = "0-";
        let read = "";
        for (let rounds = 0; rounds < 10; rounds++) {
          const part = await shown(whole, { range });
          expect(part.isWellFormed()).toBe(true);
          const [, body, next] = /^([\s\S]*)\n\(characters \d+-\d+ of \d+(?:; go on with range "([^"]+)")?\)$/.exec(part)!;
          read += body;
          if (!next) break;
          range = next.replace(/-\d+$/, "-");
        }
        expect(read === whole).toBe(true);
      }),
      { numRuns: 30 },
    ));
});

describe("lines", () => {
  it.each([
    ["2-3", "2\tb\n3\tc\n(lines 2-3 of 5)"],
    [[2, 2], "2\tb\n(lines 2-2 of 5)"],
    ["4-", "4\td\n5\te\n(lines 4-5 of 5)"],
    ["4", "4\td\n5\te\n(lines 4-5 of 5)"],
    ["-2", "4\td\n5\te\n(lines 4-5 of 5)"],
    ["0-99", "1\ta\n2\tb\n3\tc\n4\td\n5\te"],
    ["6-9", "(the text has 5 lines; line 6 is past the end)"],
  ])("%j", async (lines, expected) => expect(await shown("a\nb\r\nc\nd\ne\n", { lines })).toBe(expected));

  it("stops before a line that does not fit, and says where to go on", async () => {
    const output = await look(`${"x".repeat(999)}\n`.repeat(50), { lines: "1-40" });
    expect(output.text.length).toBeLessThan(20_200);
    expect(output.text).toContain('(lines 1-19 of 50; go on with lines "20-40")');
    expect(output.truncated).toBe(true);
  });

  it("shows the beginning of a line that alone is too long, and where its rest is", async () => {
    const text = `short\n${"🧪".repeat(30_000)}\nend`;
    const output = await look(text, { lines: "2-3" });
    const [, from, to] = /range "(\d+)-(\d+)"\)$/.exec(output.text)!;
    expect(output.text.isWellFormed()).toBe(true);
    expect(text.slice(Number(from), Number(to))).toBe("🧪".repeat((Number(to) - Number(from)) / 2));
    expect(text[Number(to)]).toBe("\n");
  });
});

describe("pattern", () => {
  const log = Array.from({ length: 1000 }, (_, i) => (i % 100 === 50 ? `error ${i}` : `fine ${i}`)).join("\n");
  it("shows the lines that match, with their numbers", async () => {
    expect(await shown(log, { pattern: "error [12]50" })).toBe("151: error 150\n251: error 250");
    expect(await shown(log, { pattern: "(?i)ERROR 50$" })).toBe("51: error 50");
    expect(await shown(log, { pattern: "^nothing" })).toBe("No line matches ^nothing.");
  });
  it("with lines around them, each once, and a mark where some are left out", async () => {
    expect(await shown("a\nb\nX\nc\nX\nd\ne\nf\ng\nX\n", { pattern: "X", context: 1 })).toBe(
      "2- b\n3: X\n4- c\n5: X\n6- d\n--\n9- g\n10: X",
    );
  });
  it("counts what does not fit", async () => {
    const output = await look(`${"match ".repeat(60)}\n`.repeat(500), { pattern: "match" });
    expect(output.text.length).toBeLessThan(20_200);
    expect(output.text).toMatch(/\((\d+) matches shown, (\d+) more; the next is in line \d+: narrow the pattern, or use lines\)$/);
    const [, some, more] = /\((\d+) matches shown, (\d+) more/.exec(output.text)!;
    expect(Number(some) + Number(more)).toBe(500);
    expect(output.truncated).toBe(true);
  });
  it("shows what stands around a match in a very long line, and where that is", async () => {
    const text = `${"x".repeat(700_000)}needle${"y".repeat(300_000)}`;
    const found = await shown(text, { pattern: "needle" });
    const [, from, to] = /\(characters (\d+)-(\d+)\)$/.exec(found)!;
    expect(found.length).toBeLessThan(600);
    expect(text.slice(Number(from), Number(to))).toContain("needle");
  });
  it("shows every match of a very long line, each once, also where two pieces of it meet", async () => {
    const places = [0, 7675, 8000, 8190, 15_362, 22_530, 60_000];
    const line = Array.from("-".repeat(70_000));
    for (const at of places) line.splice(at, 6, ..."needle");
    const found = await shown(line.join(""), { pattern: "needle" });
    const seen = found.split("\n").map((row) => Number(/\(characters (\d+)-/.exec(row)![1]));
    expect(seen.length).toBeLessThanOrEqual(places.length);
    expect(new Set(seen).size).toBe(seen.length);
    for (const at of places) expect(seen.some((from) => from <= at && at < from + 500)).toBe(true);
  });
  it("refuses a pattern that would take too long", async () =>
    expect(await shown("x", { pattern: "(?:.?){1000}[cd]" })).toMatch(/^invalid_parameters: .*repeats too much/));
  it.each(["(a+)+$", "(a|aa)+b", "(.*)*x", "(?:a?){200}a{200}", "[ab]*a[ab]{300}c"])("never hangs: %s", async (pattern) => {
    const started = cpuMs();
    await shown(`${"ab".repeat(20_000)}\n`.repeat(20), { pattern });
    await shown("a".repeat(100_000), { pattern });
    expect(cpuMs() - started).toBeLessThan(24_000);
  });
  it("can be cancelled", async () => {
    const id = await store.overflow.put({ owner, text: `${"ab".repeat(500)}\n`.repeat(20_000) });
    const stop = new AbortController();
    const searching = call({ id, pattern: "[ab]*a[ab]{300}c" }, stop.signal);
    setTimeout(() => stop.abort(), 20);
    expect(await searching).toMatchObject({ ok: false, error: { category: "cancelled" } });
  });
});

describe("json_path", () => {
  const text = JSON.stringify({ a: { b: [{ c: 1 }, { c: "two" }, { c: null }] }, "odd key": true, n: "x\ny", "it's": 5 });
  it.each([
    ["$.a.b[0].c", "1"],
    ["$.a.b[1].c", "two"],
    ["$.a.b[-1]", '{\n  "c": null\n}'],
    ["$.a.b[*].c", '1\n"two"\nnull'],
    ["$['odd key']", "true"],
    ['$["it\'s"]', "5"],
    ["$['it\\'s']", "5"],
    ["$.a.*[0].c", "1"],
    ["$.n", "x\ny"],
    ["$.a.b[7]", "Nothing at $.a.b[7]: $.a.b is an array of 3."],
    ["$.a.x.y", "Nothing at $.a.x.y: $.a is an object with b."],
    ["$.n.length", "Nothing at $.n.length: $.n is a string."],
    ["$.__proto__", "Nothing at $.__proto__: $ is an object with a, odd key, n, it's."],
    ["$.a.b.length", "Nothing at $.a.b.length: $.a.b is an array of 3."],
  ])("%s", async (json_path, expected) => expect(await shown(text, { json_path })).toBe(expected));

  it("takes a value on each line for an array", async () => {
    expect(await shown('{"a":1}\n{"a":2}\n', { json_path: "$[-1].a" })).toBe("2");
  });
  it("says so when the text is no JSON", async () => {
    expect(await shown("plain text", { json_path: "$" })).toMatch(/^permanent_failure: The text is not JSON: /);
    expect(await shown("", { json_path: "$" })).toMatch(/^permanent_failure/);
  });
  it("cuts what is too long and says what it is", async () => {
    const output = await look(JSON.stringify({ items: Array.from({ length: 5000 }, (_, i) => ({ i })) }), { json_path: "$" });
    expect(output.text.length).toBeLessThan(20_200);
    expect(output.text).toMatch(/\(cut after \d+ of \d+ characters; it is an object with items: go deeper\)$/);
    expect(output.truncated).toBe(true);
  });
  it("does not break on what is nested deeply", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect((await shown(deep, { json_path: "$" })).length).toBeLessThan(20_200);
  });
});

it("read_overflow never shows more than it says, whatever is asked", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string({ maxLength: 50 }), fc.constant("x".repeat(30_000)), fc.constant("\ud83e"), fc.constant("\n")), {
        maxLength: 20,
      }),
      fc.record(
        {
          lines: fc.constantFrom("1-", "-3", "2-9"),
          range: fc.constantFrom("0-", "-100", "3-70000"),
          pattern: fc.constantFrom(".", "x+", "$"),
        },
        { requiredKeys: [] },
      ),
      async (parts, how) => {
        const [way] = Object.entries(how);
        const text = await shown(parts.join(""), way ? { [way[0]]: way[1] } : {});
        expect(text.length).toBeLessThan(20_300);
        expect(text).not.toMatch(/^(permanent_failure|invalid_parameters)/);
      },
    ),
  ));
