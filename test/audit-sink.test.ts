import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type AuditEntry, type AuditSink, createRuntime, type RuntimeOptions } from "../src/index.ts";
import { withAuditSink } from "../src/runtime/events/audit-sink.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

let n = 0;
const audit = () => join(place.state, `sink-${n}.jsonl`);
const written = () =>
  readFileSync(audit(), "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const { prev: _prev, ...entry } = JSON.parse(line);
      return entry;
    });
const open = async (sink: AuditSink, options: Omit<RuntimeOptions, "config"> = {}) => {
  n += 1;
  const warnings: string[] = [];
  const zeph = await createRuntime({
    cwd: place.work,
    store: "memory",
    config: { audit: { path: audit() }, tools: { permissions: { write: [{ pattern: "*", action: "allow" }] } } },
    audit: sink,
    onEvent: (event) => event.type === "warning" && warnings.push(event.message),
    ...options,
  });
  onTestFinished(() => zeph.close());
  return { zeph, warnings };
};
const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

describe("an audit sink", () => {
  it("is handed every line as the log has it, in its order, without secrets, frozen", async () => {
    const lines: AuditEntry[] = [];
    const seen: number[] = [];
    const { zeph } = await open(async (line) => {
      seen.push(written().length);
      await new Promise((resolve) => setTimeout(resolve, 3));
      lines.push(line);
    });
    await Promise.all([
      zeph.call("write", { path: "b.txt", content: SECRET }),
      zeph.call("read", { path: "a.txt" }),
      zeph.call("read", { path: "/etc/hostname" }),
    ]);
    zeph.clear();
    await zeph.close();
    expect(lines).toEqual(written());
    expect(lines.map(({ kind }) => kind).sort()).toEqual(["call", "call", "call", "intent", "note"]);
    // Each was in the file before it was handed over.
    expect(seen.every((count, at) => count > at)).toBe(true);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    expect(Object.isFrozen(lines[0]) && Object.isFrozen(lines.find(({ args }) => args)!.args)).toBe(true);
  });

  it.each<[string, AuditSink]>([
    [
      "throws",
      () => {
        throw new Error("no disk");
      },
    ],
    ["rejects", { write: () => Promise.reject(new Error("no disk")) }],
  ])("that %s is told of once, and stops neither calls nor the log", async (_how, sink) => {
    const { zeph, warnings } = await open(sink);
    for (const _ of [1, 2, 3]) expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    await zeph.close();
    expect(warnings.filter((text) => text.includes("audit sink"))).toEqual([expect.stringContaining("The audit sink failed: no disk.")]);
    expect(written().filter(({ kind }) => kind === "call")).toHaveLength(3);
  });

  it("that works again says how much it was not handed", async () => {
    let isDown = true;
    const { zeph, warnings } = await open(() => {
      if (isDown) throw new Error("down");
    });
    await zeph.call("read", { path: "a.txt" });
    await zeph.call("read", { path: "a.txt" });
    await expect.poll(() => warnings.length).toBe(1);
    isDown = false;
    await zeph.call("read", { path: "a.txt" });
    await expect.poll(() => warnings).toEqual([expect.any(String), "The audit sink works again; it was not handed 2 lines."]);
  });

  it("that is required keeps what changes something from being done, and what it said of itself from the model", async () => {
    let isDown = true;
    const { zeph } = await open({
      required: true,
      async write() {
        if (isDown) throw new Error("postgres://me:password@db is down");
      },
    });
    const refused = await zeph.call("write", { path: "c.txt", content: "x" });
    expect(refused).toMatchObject({ ok: false, error: { category: "permanent_failure", message: expect.stringContaining("audit sink") } });
    expect(JSON.stringify(refused)).not.toContain("password");
    expect(existsSync(join(place.work, "c.txt"))).toBe(false);
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("not recorded") },
    });
    isDown = false;
    expect((await zeph.call("write", { path: "c.txt", content: "x" })).ok).toBe(true);
  });

  it("that is none is refused at the start", async () => {
    await expect(open({ take: () => {} } as unknown as AuditSink)).rejects.toThrow("audit is a function");
    await expect(open({ write() {}, required: "yes" } as unknown as AuditSink)).rejects.toThrow("true or false");
  });
});

describe("an audit sink that hangs", () => {
  const entry = (note: string): AuditEntry => ({ kind: "note", ts: "", note });
  const sunk = (sink: AuditSink) => {
    const file: string[] = [];
    const warnings: string[] = [];
    const append = ({ note }: AuditEntry) => void file.push(note!);
    const log = { path: "log", append, record: async (line: AuditEntry) => append(line), close() {} };
    return { file, warnings, ...withAuditSink(log, sink, (message) => warnings.push(message), { lines: 2, ms: 20 }) };
  };
  it("keeps nobody waiting, and no more lines than there is room for", async () => {
    const { log, file, warnings, close } = sunk(() => new Promise(() => {}));
    for (const note of ["a", "b", "c", "d"]) await log.record(entry(note));
    expect(file).toEqual(["a", "b", "c", "d"]);
    expect(warnings).toEqual([expect.stringContaining("2 lines wait for it")]);
    await close();
    expect(warnings.at(-1)).toBe("The audit sink was not handed the last 1 line: it is too slow.");
  });
  it("fails the call in time when it is required, and an append after that", async () => {
    const { log, file } = sunk({ required: true, write: () => new Promise<void>(() => {}) });
    log.append(entry("a"));
    await expect(log.record(entry("b"))).rejects.toThrow("nothing is done without it");
    expect(() => log.append(entry("c"))).toThrow("nothing is done without it");
    expect(file).toEqual(["a", "b", "c"]);
  });
});
