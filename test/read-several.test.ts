import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Zeph } from "../src/index.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(tools: object = {}, files: Readonly<Record<string, string>> = { a: "one\n", b: "two\n", "sub/c": "three\n" }) {
  const place = workspace([]);
  closing.push(place.remove);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(place.work, name, ".."), { recursive: true });
    writeFileSync(join(place.work, name), text);
  }
  const audit = join(place.state, "audit.jsonl");
  const zeph: Zeph = await place.runtime({ config: { tools, audit: { path: audit } } });
  closing.push(zeph.close);
  const logged = () =>
    readFileSync(audit, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { tool?: string; args?: unknown; status?: string })
      .filter(({ tool }) => tool === "read");
  return { place, zeph, logged };
}
const textOf = (outcome: Awaited<ReturnType<Zeph["callAny"]>>) => (outcome.ok ? outcome.output.text : outcome.error.message);

describe("a read of several files", () => {
  it("shows each under its name; what is refused or missing is a line", async () => {
    const { zeph, logged } = await open({ file: { deny_read: ["b"] } });
    const outcome = await zeph.call("read", { paths: ["a", "b", "none", "sub/c", "a"] });
    expect(outcome.ok).toBe(true);
    expect(textOf(outcome)).toMatch(/^== a\n1\tone\n== b\n\(not read: [^\n]*\)\n== none\n\(not read: [^\n]*\)\n== sub\/c\n1\tthree$/);
    expect(logged().map(({ args }) => args)).toEqual([{ path: "a" }, { path: "b" }, { path: "none" }, { path: "sub/c" }]);
  });

  it("is a call for each: each counts, and each comes from the cache of another call", async () => {
    const { zeph } = await open({ max_tool_calls_per_session: 4 });
    await zeph.call("read", { path: "a" });
    const before = zeph.stats().cache;
    expect((await zeph.call("read", { paths: ["a", "b"] })).ok).toBe(true);
    expect(zeph.stats().cache.hits).toBe(before.hits + 1);
    const last = await zeph.call("read", { paths: ["sub/c", "b"] });
    expect(textOf(last)).toMatch(/^== sub\/c\n1\tthree\n== b\n\(not read: /);
  });

  it("has one budget for all of them, and says where to go on", async () => {
    const long = Array.from({ length: 4000 }, (_, n) => `line ${n + 1} of a long file`).join("\n");
    const { zeph } = await open({ overflow: { threshold: 6000 } }, { long, longer: long, short: "all of it\n" });
    const text = textOf(await zeph.call("read", { paths: ["long", "short", "longer"] }));
    expect(text.length).toBeLessThan(6400);
    expect(text).toContain("== short\n1\tall of it\n");
    expect(text.match(/^\(\d+ more lines; .*\)$/gm)).toHaveLength(2);
  });

  it.each([
    [5000, {}],
    [1990, {}],
    [4000, { overflow: { threshold: 6000 } }],
  ])("counts all the lines of a file of %d that are not shown", async (count, tools) => {
    const long = `${Array.from({ length: count }, (_, n) => `line ${n + 1} of a long file, ${"x".repeat(60)}`).join("\n")}\n`;
    const { zeph } = await open(tools, { long, longer: long, empty: "" });
    const text = textOf(await zeph.call("read", { paths: ["long", "empty", "longer"] }));
    const files = text.split(/^== .*\n/m).filter((part) => part.includes("\t"));
    expect(files).toHaveLength(2);
    for (const file of files) {
      const shown = file.match(/^\d+\t/gm)!.length;
      expect(file.trimEnd().split("\n").at(-1)).toBe(`(${count - shown} more lines; go on with path and offset ${shown + 1})`);
    }
  });

  it("fails where none can be read, and says why of each", async () => {
    const { zeph } = await open();
    const outcome = await zeph.call("read", { paths: ["x", "y"] });
    expect(outcome.ok).toBe(false);
    expect(textOf(outcome)).toMatch(/^x: .*\ny: /);
  });

  it.each<[object, RegExp]>([
    [{ path: "a", paths: ["b"] }, /does not go together with path/],
    [{ paths: ["a"], offset: 2 }, /offset and limit go with path/],
    [{ paths: Array.from({ length: 21 }, (_, n) => `f${n}`) }, /paths/],
    [{ paths: ["a", 3] }, /paths/],
    [{}, /path/],
  ])("is refused as a whole where it is written wrongly: %j", async (args, why) => {
    const { zeph, logged } = await open();
    const outcome = await zeph.callAny("read", args);
    expect(outcome).toMatchObject({ ok: false, error: { category: expect.stringMatching(/^(?:invalid_parameters|type_mismatch)$/) } });
    expect(textOf(outcome)).toMatch(why);
    expect(logged()).toHaveLength(1);
  });

  it("is one result to a model, and a question that is left for later is a line of it", async () => {
    const { place } = await open();
    const permissions = {
      read: [
        { pattern: "b", action: "ask" },
        { pattern: "*", action: "allow" },
      ],
    };
    const model = modelSaying([asks("read", { file_paths: ["a", "b"] })], [says("done")]);
    const agent = await agentIn(place, model, { confirm: () => "later", config: { tools: { permissions } } });
    closing.push(agent.close);
    await all(agent.send("go"));
    const results = model.given[1]!.messages.flatMap((message) => (message.role === "tool" ? [message.text] : []));
    expect(results).toHaveLength(1);
    expect(results[0]).toMatch(/^== a\n1\tone\n== b\n\(not read: /);
  });
});
