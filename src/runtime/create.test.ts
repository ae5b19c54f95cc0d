import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { gateNames } from "../../test/gate-names.ts";
import { workspace } from "../../test/workspace.ts";
import type { ConfigInput } from "../core/inputs/config-input.ts";
import type { AnyTool } from "../core/tool.ts";
import { createRuntime, defineTool, ToolError, type ZephEvent } from "../index.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(place.remove);
const lastLines = (n: number) =>
  place
    .audit()
    .trim()
    .split("\n")
    .slice(-n)
    .map((line) => JSON.parse(line));

const shout = defineTool({
  name: "shout",
  description: "Say it loud.",
  effect: "reads",
  input: z.strictObject({ text: z.string() }),
  touches: () => [],
  run: async ({ input }) => ({ text: input.text.toUpperCase() }),
});

describe("call", () => {
  it("runs and records nothing of a thought alone, and runs a tool that takes nothing without the thought", async () => {
    const ping = defineTool({
      name: "ping",
      description: "Say nothing.",
      effect: "reads",
      input: z.strictObject({}),
      touches: () => [],
      run: async ({ input }) => ({ text: JSON.stringify(input) }),
    });
    const zeph = await place.runtime({ toolsets: [{ id: "mine", list: () => [ping] }] });
    const thought = { _tafc_think: "a secret plan" };
    const before = place.audit();
    expect(await zeph.callAny("read", thought)).toMatchObject({
      ok: false,
      error: { category: "invalid_parameters", message: "read was given a thought and no arguments. Nothing was run." },
    });
    expect(place.audit()).toBe(before);
    expect(await zeph.callAny("ping", thought)).toMatchObject({ ok: true, output: { text: "{}" } });
    expect(place.audit()).not.toContain("secret");
    await zeph.close();
  });

  it("never throws: an unknown tool, bad input and a tool that throws are outcomes", async () => {
    const broken = defineTool({
      ...shout,
      name: "broken",
      run: async () => {
        throw new RangeError("boom");
      },
    });
    const zeph = await place.runtime({ toolsets: [{ id: "mine", list: () => [broken] }] });
    expect(await zeph.call("raed", {})).toMatchObject({
      ok: false,
      error: { category: "tool_not_found", message: 'There is no tool named "raed". Did you mean "read"?' },
    });
    expect(await zeph.callAny("read", null)).toMatchObject({ ok: false, error: { category: "invalid_parameters" } });
    expect(await zeph.callAny("read", { path: 1 })).toMatchObject({
      ok: false,
      error: { category: "type_mismatch", message: 'read: "path" must be a string, not a number.' },
    });
    expect(await zeph.callAny("read", { path: "a.txt", paht: 1 })).toMatchObject({
      ok: false,
      error: { category: "invalid_parameters", message: expect.stringContaining('"paht" is not an argument. Did you mean "path"?') },
    });
    expect(await zeph.call("broken", { text: "" })).toMatchObject({ ok: false, error: { category: "permanent_failure", message: "boom" } });
    expect(await zeph.call(undefined as never, undefined as never)).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
    const trap = {
      get path() {
        throw new Error("boom");
      },
    };
    expect(await zeph.callAny("read", trap)).toMatchObject({ ok: false, error: { category: "invalid_parameters" } });
    expect(lastLines(1)[0]).toMatchObject({ tool: "read", error_category: "invalid_parameters" });
    expect(await zeph.callAny("read", '{"_tafc_think":"secret reasoning",}')).toMatchObject({ ok: false });
    expect(await zeph.callAny("read", { x: { _tafc_think: "secret reasoning" } })).toMatchObject({ ok: false });
    expect(place.audit()).not.toContain("secret reasoning");
    await zeph.close();
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: false, error: { message: "This runtime was closed." } });
  });
  it("survives arguments 100,000 levels deep, 50 MB long and with a prototype in them", async () => {
    const zeph = await place.runtime();
    let deep: unknown = "x";
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(await zeph.callAny("read", { path: deep })).toMatchObject({ ok: false, error: { category: "invalid_parameters" } });
    expect(await zeph.call("read", JSON.parse('{"path":"a.txt","__proto__":{"polluted":1}}'))).toMatchObject({
      ok: false,
      error: { category: "invalid_parameters" },
    });
    expect(await zeph.call("write", { path: "b.txt", content: "x".repeat(50 * 2 ** 20) })).toMatchObject({ ok: true });
    expect(await zeph.call("read", { path: "x".repeat(50 * 2 ** 20) })).toMatchObject({
      ok: false,
      error: { category: "invalid_parameters" },
    });
    expect(Math.max(...lastLines(4).map((line) => JSON.stringify(line).length))).toBeLessThan(5000);
    await zeph.close();
  });
  it("records who called, and is cancelled by its signal", async () => {
    const zeph = await place.runtime();
    await zeph.call("read", { path: "a.txt" }, { callerId: "editor-7" });
    expect(lastLines(1)[0]).toMatchObject({
      caller_id: "editor-7",
      outcome: "ok",
      approved_by: "rules",
      phase: "planner",
      trust: "trusted",
    });
    expect(await zeph.call("read", { path: "a.txt" }, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      error: { category: "cancelled" },
    });
    await zeph.close();
  });
});

describe("what a tool may do", () => {
  const lone = (tool: AnyTool) => place.runtime({ toolsets: [{ id: "mine", list: () => [tool] }] });
  it("ends with its call: a permit that was kept opens nothing", async () => {
    let kept: (() => Promise<unknown>) | undefined;
    const sly = defineTool({
      ...shout,
      name: "sly",
      run: async (permit, { host, signal }) => {
        kept = () => host.files.lines(permit, "a.txt", { offset: 1, limit: 1 }, signal);
        await kept();
        return { text: "" };
      },
    });
    const zeph = await lone(sly);
    expect(await zeph.call("sly", { text: "" })).toMatchObject({ ok: true });
    await expect(kept!()).rejects.toThrow("did not issue");
    await zeph.close();
  });
  it("is bound by the effect it was judged by", async () => {
    const sly = defineTool({
      ...shout,
      name: "sly",
      run: async (permit, { host }) => ({ text: (await host.files.write(permit, "sly.txt", "x")).path }),
    });
    const zeph = await lone(sly);
    expect(await zeph.call("sly", { text: "" })).toMatchObject({
      ok: false,
      error: { category: "policy_blocked", message: expect.stringContaining("files.write") },
    });
    expect(existsSync(join(place.work, "sly.txt"))).toBe(false);
    await zeph.close();
  });
  it("must return text, and cannot keep a caller who cancelled waiting", async () => {
    const empty = await lone(defineTool({ ...shout, name: "empty", run: async () => undefined as never }));
    expect(await empty.call("empty", { text: "" })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("returned no text") },
    });
    await empty.close();
    const deaf = await lone(defineTool({ ...shout, name: "deaf", run: () => new Promise<never>(() => {}) }));
    expect(await deaf.call("deaf", { text: "" }, { signal: AbortSignal.timeout(50) })).toMatchObject({
      ok: false,
      error: { category: "cancelled" },
    });
    await deaf.close();
  });
});

describe("close", () => {
  it("waits for what runs, and ends what is only asked about", async () => {
    const zeph = await place.runtime();
    const writing = zeph.call("write", { path: "large.txt", content: "x".repeat(20 * 2 ** 20) });
    await zeph.close();
    expect(await writing).toMatchObject({ ok: true });
    expect(lastLines(1)[0]).toMatchObject({ kind: "call", tool: "write", outcome: "ok" });
    let isAsked = false;
    const asking = await place.runtime({
      config: { audit: { path: join(place.state, "audit.jsonl") } },
      confirm() {
        isAsked = true;
        return new Promise<never>(() => {});
      },
    });
    const asked = asking.call("write", { path: "never.txt", content: "" });
    await expect.poll(() => isAsked).toBe(true);
    await asking.close();
    expect(await asked).toMatchObject({ ok: false, error: { category: "confirmation_required" } });
  });
});

describe("two edits at once", () => {
  it.each([10, 3_000_000])("of a file of %i bytes: none is lost that was acknowledged", async (size) => {
    const zeph = await place.runtime();
    writeFileSync(join(place.work, "both.txt"), `one two\n${"x".repeat(size)}`);
    const outcomes = await Promise.all([
      zeph.call("edit", { path: "both.txt", old_string: "one", new_string: "1" }),
      zeph.call("edit", { path: "both.txt", old_string: "two", new_string: "2" }),
    ]);
    const text = readFileSync(join(place.work, "both.txt"), "utf8").slice(0, 8);
    expect([text.includes("1"), text.includes("2")]).toEqual(outcomes.map(({ ok }) => ok));
    await zeph.close();
  });
});

describe("turn", () => {
  it("gives every call inside it one turn, and a lone call its own", async () => {
    const zeph = await place.runtime();
    const read = () => zeph.call("read", { path: "a.txt" });
    await zeph.turn(async () => {
      await read();
      await zeph.turn(read);
    });
    await read();
    await read();
    const turns = lastLines(4).map(({ turn_id }) => turn_id);
    expect(turns[0]).toBe(turns[1]);
    expect(new Set(turns).size).toBe(3);
    await zeph.close();
  });
});

describe("toolsets", () => {
  it("come and go while running, and never take a name that is owned", async () => {
    const events: ZephEvent[] = [];
    const zeph = await place.runtime({ onEvent: (event) => events.push(event) });
    const list = [shout];
    let changed = () => {};
    const remove = zeph.addToolset({
      id: "mine",
      list: () => list,
      subscribe: (listener) => {
        changed = listener;
        return () => {};
      },
    });
    expect(await zeph.call("shout", { text: "hi" })).toMatchObject({ ok: true, output: { text: "HI" } });
    list.push({ ...shout, name: "read" });
    changed();
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true, output: { text: "1\thello" } });
    expect(events).toContainEqual({ type: "warning", message: 'The tool "read" of mine is left out: another tool owns that name.' });
    list.push({ ...shout, name: "later" });
    changed();
    expect(await zeph.call("later", { text: "x" })).toMatchObject({ ok: true });
    remove();
    expect(await zeph.call("shout", { text: "hi" })).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
    await zeph.close();
  });
  it("answer to aliases that are not listed", async () => {
    const zeph = await place.runtime();
    expect(await zeph.call("glob", { path: ".", pattern: "a.*" })).toMatchObject({ ok: true, output: { text: "a.txt" } });
    expect(zeph.tools().map(({ name }) => name)).not.toContain("glob");
    expect(zeph.tools().find(({ name }) => name === "read")).toMatchObject({
      name: "read",
      effect: "reads",
      parameters: { type: "object", properties: { path: { type: "string" } } },
    });
    await zeph.close();
  });
});

describe("judge", () => {
  it("says what call would do, with everyone's opinion, and changes nothing", async () => {
    const zeph = await place.runtime({
      config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { max_tool_calls_per_session: 1 } },
    });
    const before = place.audit();
    for (let i = 0; i < 3; i++)
      expect(await zeph.judge("read", { path: "a.txt" })).toMatchObject({
        verdict: "allow",
        gate: null,
        trace: gateNames()
          .slice(1)
          .map((gate) => ({ gate })),
      });
    expect(await zeph.judge("read", { path: "/etc/passwd" })).toMatchObject({
      verdict: "deny",
      gate: "files",
      rule: "allowed_paths",
      touches: [{ kind: "path" }],
    });
    await expect(zeph.judge("nope", {})).rejects.toThrow(ToolError);
    for (const path of ["a\0b", "\0", "\ud800"])
      expect(await zeph.judge("read", { path })).toEqual({
        ...{ verdict: "deny", gate: null, rule: null, touches: [], trace: [] },
        why: expect.stringMatching(/^path holds /),
      });
    expect(place.audit()).toBe(before);
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({
      ok: false,
      decision: { gate: "quota", why: expect.stringContaining("quota_blocked") },
    });
    zeph.clear();
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    await zeph.close();
  });
});

describe("configuration", () => {
  it("given as an object reads no file and no variable", async () => {
    mkdirSync(join(place.work, ".zeph"), { recursive: true });
    writeFileSync(join(place.work, ".zeph/config.toml"), "nonsense = true\n");
    process.env.ZEPH_TOOLS_ENABLED = "false";
    const zeph = await place.runtime();
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    await zeph.close();
    delete process.env.ZEPH_TOOLS_ENABLED;
  });
  it("names what is wrong", async () => {
    await expect(createRuntime({ config: { tools: { fiel: {} } } as ConfigInput })).rejects.toThrow(
      '"tools.fiel" is not a setting. Did you mean "tools.file"?',
    );
    await expect(createRuntime({ config: { tools: { file: { deny_read: ["[a"] } } } })).rejects.toThrow(/never closed/);
  });
});

it("an outcome keeps what went wrong when it is written as JSON, copied or spread", async () => {
  const zeph = await place.runtime();
  const missing = await zeph.call("read", { path: "nowhere.txt" });
  const refused = await zeph.call("read", { path: "/etc/passwd" });
  await zeph.close();
  for (const outcome of [missing, refused]) {
    if (outcome.ok) throw new Error("It should have failed.");
    const { message, category } = outcome.error;
    expect(message).not.toBe("");
    expect(JSON.parse(JSON.stringify(outcome)).error).toMatchObject({ message, category });
    expect(JSON.parse(JSON.stringify([{ deep: { outcome } }]))[0].deep.outcome.error).toMatchObject({ message, category });
    expect({ ...outcome.error }).toMatchObject({ message, category });
    expect(structuredClone(outcome).error.message).toBe(message);
    expect(outcome.error).toBeInstanceOf(Error);
  }
});
