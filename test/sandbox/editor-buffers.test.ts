import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApprovedCall } from "../../src/core/door.ts";
import type { Buffers } from "../../src/core/ports/editor.ts";
import { createLocalFiles } from "../../src/host/files/files.ts";
import { createLeftovers } from "../../src/host/files/leftovers.ts";
import { createPathRules } from "../../src/host/files/paths.ts";
import type { Outcome, Zeph } from "../../src/index.ts";
import { type Workspace, workspace } from "../workspace.ts";
import { available, has, PYTHON } from "./support.ts";

let place: Workspace;
let zeph: Zeph;
beforeEach(() => {
  place = workspace([
    { op: "file", path: "work/a.txt", content: "saved\n" },
    { op: "file", path: "work/secret.env", content: "SECRET\n" },
    { op: "file", path: "outside.txt", content: "OUTSIDE\n" },
  ]);
});
afterEach(async () => {
  await zeph.close();
  place.remove();
});

const said = (outcome: Outcome) => (outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`);
const disk = (name: string) => readFileSync(join(place.work, name), "utf8");

/** An editor with unsaved texts, which saves when it is told to write. */
async function edited(
  unsaved: Record<string, string>,
  change: (buffers: Required<Buffers>) => Buffers = (same) => same,
  file: object = {},
) {
  const asked: string[] = [];
  const buffers = change({
    read: async (path) => {
      asked.push(`read ${path}`);
      const name = path.slice(place.work.length + 1);
      return unsaved[name] ?? readFileSync(path, "utf8");
    },
    write: async (path, text) => {
      asked.push(`write ${path}`);
      delete unsaved[path.slice(place.work.length + 1)];
      writeFileSync(path, text);
    },
  });
  zeph = await place.runtime({ editor: { buffers }, file });
  return asked;
}
const at = (name: string) => join(place.work, name);
const edit = (path: string, old_string: string, new_string: string) => zeph.call("edit", { path, old_string, new_string });
/** A folder of the workspace becomes a link to one outside. */
const swap = (name: string) => {
  renameSync(at(name), at(`${name}-kept`));
  symlinkSync(join(place.T, "away"), at(name));
};
const never = () => Promise.reject(new Error("no"));

describe("an editor's buffers", () => {
  test("unsaved text is what is read, and what is edited", async () => {
    const unsaved = { "a.txt": "unsaved\nsecond\n" };
    const asked = await edited(unsaved);
    expect(said(await zeph.call("read", { path: "a.txt" }))).toBe("1\tunsaved\n2\tsecond");
    expect(said(await zeph.call("read", { path: "a.txt", offset: 2 }))).toBe("2\tsecond");
    const outcome = await edit("a.txt", "second", "third");
    expect(said(outcome)).toBe("Edited a.txt at line 2:\n1\tunsaved\n2\tthird");
    expect(outcome.output?.diff).toContain("-second\n+third");
    expect(disk("a.txt")).toBe("unsaved\nthird\n");
    expect(asked.at(-1)).toBe(`write ${at("a.txt")}`);
    // And once more, from what was written.
    expect(said(await edit("a.txt", "third", "fourth"))).toContain("Edited");
    expect(disk("a.txt")).toBe("unsaved\nfourth\n");
  });

  test("asked again, it is what was typed since: nothing on the disk says that it changed", async () => {
    const unsaved = { "a.txt": "one\n" };
    await edited(unsaved);
    expect(said(await zeph.call("read", { path: "a.txt" }))).toBe("1\tone");
    unsaved["a.txt"] = "two\n";
    expect(said(await zeph.call("read", { path: "a.txt" }))).toBe("1\ttwo");
  });

  test("saved in between with the same text: the picture is still true", async () => {
    await edited({ "a.txt": "unsaved\n" });
    await zeph.call("read", { path: "a.txt" });
    writeFileSync(at("a.txt"), "unsaved\n");
    expect(said(await edit("a.txt", "unsaved", "edited"))).toContain("Edited");
  });

  test("typed on in between: refused, and nothing is written", async () => {
    const unsaved = { "a.txt": "unsaved\n" };
    await edited(unsaved);
    await zeph.call("read", { path: "a.txt" });
    unsaved["a.txt"] = "unsaved and more\n";
    expect(said(await edit("a.txt", "unsaved", "edited"))).toMatch(/changed since it was last read/);
    expect(disk("a.txt")).toBe("saved\n");
  });

  test("typed on while it was edited: refused", async () => {
    let reads = 0;
    await edited({}, (buffers) => ({ ...buffers, read: async () => (reads++ === 0 ? "one\n" : "one and more\n") }));
    expect(said(await edit("a.txt", "one", "two"))).toMatch(/changed while it was being edited/);
    expect(disk("a.txt")).toBe("saved\n");
  });

  test("read from the disk, then unsaved in the editor: refused until it was read again", async () => {
    let refuses = true;
    await edited({ "a.txt": "unsaved saved\n" }, (buffers) => ({
      ...buffers,
      read: (...given) => (refuses ? never() : buffers.read(...given)),
    }));
    expect(said(await zeph.call("read", { path: "a.txt" }))).toBe("1\tsaved");
    refuses = false;
    expect(said(await edit("a.txt", "saved\n", "edited\n"))).toMatch(/changed since it was last read/);
    await zeph.call("read", { path: "a.txt" });
    expect(said(await edit("a.txt", "saved\n", "edited\n"))).toContain("Edited");
    expect(disk("a.txt")).toBe("unsaved edited\n");
  });

  test("an editor that refuses: the disk, as ever", async () => {
    await edited({}, () => ({ read: never, write: never }));
    expect(said(await zeph.call("read", { path: "a.txt" }))).toBe("1\tsaved");
    expect(said(await edit("a.txt", "saved", "edited"))).toContain("Edited");
    expect(said(await zeph.call("write", { path: "b/new.txt", content: "new\n" }))).toContain("Created");
    expect([disk("a.txt"), disk("b/new.txt")]).toEqual(["edited\n", "new\n"]);
  });

  test("an editor that only lends what it shows: an edit of unsaved text is written here, with the file's line ends", async () => {
    writeFileSync(at("a.txt"), "saved\r\nlines\r\n");
    await edited({ "a.txt": "unsaved\nlines\n" }, ({ read }) => ({ read }));
    expect(said(await edit("a.txt", "lines", "rows"))).toContain("Edited");
    expect(disk("a.txt")).toBe("unsaved\r\nrows\r\n");
  });

  test("a new file goes through the editor, into folders that are there", async () => {
    const asked = await edited({});
    const outcome = await zeph.call("write", { path: "x/y/new.txt", content: "new\n" });
    expect(said(outcome)).toBe("Created x/y/new.txt (4 bytes).");
    expect(disk("x/y/new.txt")).toBe("new\n");
    expect(asked).toEqual([`write ${at("x/y/new.txt")}`]);
  });

  test("a write shows what the editor showed before", async () => {
    await edited({ "a.txt": "unsaved\n" });
    expect((await zeph.call("write", { path: "a.txt", content: "new\n" })).output?.diff).toContain("-unsaved\n+new");
  });

  test("what may not be read or written is refused before the editor is asked", async () => {
    mkdirSync(at("folder"));
    symlinkSync(join(place.T, "outside.txt"), at("link"));
    symlinkSync(at("secret.env"), at("alias"));
    const asked = await edited({}, undefined, { deny_read: ["*.env"] });
    const refused = [
      await zeph.call("read", { path: "secret.env" }),
      await zeph.call("read", { path: "alias" }),
      await zeph.call("read", { path: "../outside.txt" }),
      await zeph.call("read", { path: "link" }),
      await edit("secret.env", "SECRET", "x"),
      await edit("link", "OUTSIDE", "x"),
      await zeph.call("write", { path: "../outside.txt", content: "x" }),
      await zeph.call("write", { path: "link", content: "x" }),
    ];
    expect(refused.map((outcome) => outcome.ok || outcome.error.category)).toEqual(Array(8).fill("policy_blocked"));
    const odd = [
      await zeph.call("read", { path: "folder" }),
      await zeph.call("read", { path: "missing" }),
      await zeph.call("write", { path: "folder", content: "x" }),
    ];
    expect(odd.map((outcome) => outcome.ok)).toEqual([false, false, false]);
    expect(asked).toEqual([]);
    // Its old text may not be read, so the editor is not asked for it; writing is another thing.
    expect((await zeph.call("write", { path: "secret.env", content: "NEW\n" })).output?.diff).toBeUndefined();
    expect(asked).toEqual([`write ${at("secret.env")}`]);
    expect(readFileSync(join(place.T, "outside.txt"), "utf8")).toBe("OUTSIDE\n");
  });

  test("the host judges by itself, whatever a gate let in", async () => {
    const asked = await edited({}, undefined, {});
    const lending = { read: async (path: string) => `${asked.push(path)}`, write: async (path: string) => void asked.push(path) };
    const rules = createPathRules(place.work, { allowed_paths: [], deny_read: ["*.env"], allow_read: [] });
    const files = createLocalFiles(rules, createLeftovers(join(place.state, "notes")), lending);
    // Permits are checked around the host; here nobody asks for one.
    const permit = {} as ApprovedCall;
    const signal = new AbortController().signal;
    for (const path of ["secret.env", "../outside.txt"]) {
      await expect(files.lines(permit, path, { offset: 1, limit: 5 }, signal)).rejects.toMatchObject({ category: "policy_blocked" });
      await expect(files.text(permit, path)).rejects.toMatchObject({ category: "policy_blocked" });
    }
    await expect(files.write(permit, "../outside.txt", "x")).rejects.toMatchObject({ category: "policy_blocked" });
    await expect(files.replace(permit, "../outside.txt", "OUTSIDE\n", "x")).rejects.toMatchObject({ category: "policy_blocked" });
    expect(asked).toEqual([]);
  });

  test.runIf(process.getuid?.() !== 0)("a read-only file stays as it is", async () => {
    chmodSync(at("a.txt"), 0o444);
    const asked = await edited({});
    expect((await zeph.call("write", { path: "a.txt", content: "x" })).ok).toBe(false);
    expect(asked.filter((line) => line.startsWith("write"))).toEqual([]);
  });

  test("a file that is swapped for a link while the editor reads: what it read is not used", async () => {
    await edited({}, (buffers) => ({
      ...buffers,
      read: async (path) => {
        if (existsSync(at("kept"))) return readFileSync(path, "utf8");
        renameSync(path, at("kept"));
        symlinkSync(join(place.T, "outside.txt"), path);
        return readFileSync(path, "utf8");
      },
    }));
    expect(said(await zeph.call("read", { path: "a.txt" }))).toMatch(/^policy_blocked: .*outside/);
  });

  test("a folder that is swapped while the editor reads: what it read is not used, even if it is the same file", async () => {
    mkdirSync(at("d"));
    mkdirSync(join(place.T, "away"));
    writeFileSync(at("d/a.txt"), "mine\n");
    linkSync(at("d/a.txt"), join(place.T, "away/a.txt"));
    await edited({}, (buffers) => ({
      ...buffers,
      read: async (path) => {
        swap("d");
        return readFileSync(path, "utf8");
      },
    }));
    expect(said(await zeph.call("read", { path: "d/a.txt" }))).toMatch(/^policy_blocked: .*outside/);
  });

  test("a folder that is swapped while the editor writes: nobody says that it is done", async () => {
    mkdirSync(at("d"));
    mkdirSync(join(place.T, "away"));
    await edited({}, (buffers) => ({
      ...buffers,
      write: async (path, text) => {
        swap("d");
        writeFileSync(path, text);
      },
    }));
    expect(said(await zeph.call("write", { path: "d/new.txt", content: "x" }))).toMatch(
      /^permanent_failure: The outcome is unknown: .*new\.txt/,
    );
  });

  test("a file that is a link once it was written: the same", async () => {
    await edited({}, (buffers) => ({
      ...buffers,
      write: async (path, text) => {
        renameSync(path, at("kept"));
        symlinkSync(join(place.T, "outside.txt"), path);
        writeFileSync(path, text);
      },
    }));
    expect(said(await zeph.call("write", { path: "a.txt", content: "x" }))).toMatch(/outcome is unknown/);
  });

  test("what the editor sends is bounded, and what is no text is said to be none", async () => {
    const texts: unknown[] = ["x".repeat(64 * 1024 * 1024 + 1), 17, null, "a\0b"];
    await edited({}, (buffers) => ({ ...buffers, read: async () => texts.shift() as string }));
    expect(said(await zeph.call("read", { path: "a.txt" }))).toBe("1\tsaved");
    expect(said(await zeph.call("read", { path: "a.txt", offset: 1 }))).toBe("1\tsaved");
    expect(said(await zeph.call("read", { path: "a.txt", limit: 9 }))).toBe("1\tsaved");
    expect(said(await zeph.call("read", { path: "a.txt", limit: 8 }))).toMatch(/binary file/);
  });

  test("an editor that never answers: the disk, after ten seconds", async () => {
    await edited({}, (buffers) => ({ ...buffers, read: () => new Promise<never>(() => {}) }));
    const start = performance.now();
    expect(said(await zeph.call("read", { path: "a.txt" }))).toBe("1\tsaved");
    expect(performance.now() - start).toBeGreaterThan(9000);
    const stopped = await zeph.call("read", { path: "a.txt", limit: 5 }, { signal: AbortSignal.timeout(50) });
    expect(stopped).toMatchObject({ ok: false, error: { category: "cancelled" } });
  });

  test("searching stays on the disk", async () => {
    const asked = await edited({ "a.txt": "unsaved\n" });
    expect(said(await zeph.call("grep", { pattern: "saved" }))).toContain("a.txt");
    expect(asked).toEqual([]);
  });
});

describe.runIf(available)("while a command runs behind the walls", () => {
  const ALLOWED = [{ pattern: "*", action: "allow" }];
  const FREE = { permissions: { read: ALLOWED, write: ALLOWED, edit: ALLOWED, bash: ALLOWED } };
  /** An editor that goes by names, as they all do, and takes its time. */
  async function byName(ms = 0, tools: object = {}) {
    const asked: string[] = [];
    const buffers: Buffers = {
      read: async (path) => {
        asked.push("read");
        await sleep(ms);
        return readFileSync(path, "utf8");
      },
      write: async (path, text) => {
        asked.push("write");
        await sleep(ms);
        writeFileSync(path, text);
      },
    };
    const config = { audit: { path: join(place.state, "audit.jsonl") }, tools: { ...FREE, ...tools } };
    zeph = await place.runtime({ config, editor: { buffers } });
    return asked;
  }

  test("the disk counts: nobody is asked until it has ended", async () => {
    const asked = await byName();
    const { output } = await zeph.call("bash", { command: "until [ -e stop ]; do sleep 0.05; done", background: true });
    expect(said(await zeph.call("read", { path: "a.txt" }))).toBe("1\tsaved");
    expect(said(await edit("a.txt", "saved", "edited"))).toContain("Edited");
    expect(said(await zeph.call("write", { path: "stop", content: "" }))).toContain("Created");
    expect([disk("a.txt"), asked]).toEqual(["edited\n", []]);
    const { run_id } = output!.raw as { run_id: string };
    await zeph.call("background", { action: "wait", run_id });
    expect(said(await edit("a.txt", "edited", "again"))).toContain("Edited");
    expect(asked).toEqual(["read", "read", "write"]);
  });

  test("it starts when the editor is done, not before", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let began = false;
    const config = { audit: { path: join(place.state, "audit.jsonl") }, tools: FREE };
    const write = async (path: string, text: string) => {
      began = true;
      await gate;
      writeFileSync(path, text);
    };
    zeph = await place.runtime({ config, editor: { buffers: { write } } });
    // The walls are found before, so that nothing else takes time.
    await zeph.call("bash", { command: "true" });
    const writing = zeph.call("write", { path: "slow.txt", content: "x" });
    while (!began) await sleep(1);
    const running = zeph.call("bash", { command: "touch started; cat slow.txt" });
    await sleep(500);
    expect(existsSync(at("started"))).toBe(false);
    release();
    expect(said(await writing)).toContain("Created");
    expect(said(await running)).toBe("x");
  });

  test.runIf(has(PYTHON))("one that exchanges a folder for a link all the time leads nobody outside", async () => {
    mkdirSync(at("d"));
    mkdirSync(join(place.T, "away"));
    writeFileSync(join(place.T, "away/id"), "TOP SECRET\n");
    writeFileSync(at("d/id"), "harmless\n");
    symlinkSync(join(place.T, "away"), at("l"));
    writeFileSync(
      at("flip.py"),
      "import ctypes,time\nlibc=ctypes.CDLL(None)\nwhile True:\n  libc.renameat2(-100,b'd',-100,b'l',2); time.sleep(0.0015)\n",
    );
    await byName(3, { anomaly: { enabled: false }, result_cache: { enabled: false } });
    expect((await zeph.call("bash", { command: "python3 flip.py", background: true })).ok).toBe(true);
    const seen = new Set<string>();
    for (const end = Date.now() + 3000; Date.now() < end; ) {
      seen.add(said(await zeph.call("read", { path: "d/id" })));
      await zeph.call("write", { path: "d/new", content: "EVIL" });
    }
    expect(seen).toContain("1\tharmless");
    expect([...seen].join("\n")).not.toContain("SECRET");
    expect(existsSync(join(place.T, "away/new"))).toBe(false);
  });
});
