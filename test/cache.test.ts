import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { caching, isHit, textOf } from "./caching.ts";

const place = caching();
afterAll(place.remove);
const { build, at } = place;

describe("a cached answer is what a fresh run would say", () => {
  const names = ["a", "b", "sub/a", "sub/c"];
  const name = fc.constantFrom(...names);
  const content = fc.constantFrom("one\n", "two\n", "needle\n", "longer than the others\n", "");
  const change = fc.oneof(
    fc.record({ op: fc.constant("write" as const), name, content }),
    fc.record({ op: fc.constant("quietly" as const), name, content }),
    fc.record({ op: fc.constant("append" as const), name, content }),
    fc.record({ op: fc.constant("delete" as const), name }),
    fc.record({ op: fc.constant("rename" as const), name, to: name }),
    fc.record({ op: fc.constant("link" as const), name, to: name }),
    fc.record({ op: fc.constant("swap" as const) }),
    fc.record({ op: fc.constant("ignore" as const), name: fc.constantFrom("", "sub/"), content: fc.constantFrom("a\n", "c\n", "") }),
    fc.record({ op: fc.constant("tool" as const), name, content }),
  );
  const asked = fc.oneof(
    fc.record({ tool: fc.constant("read"), args: fc.record({ path: name.map((n) => `tree/${n}`) }) }),
    fc.record({
      tool: fc.constant("grep"),
      args: fc.record({ pattern: fc.constant("needle"), path: fc.constantFrom("tree", "tree/sub", "tree/a") }),
    }),
    fc.record({
      tool: fc.constant("find_path"),
      args: fc.record({ path: fc.constantFrom("tree", "tree/sub"), pattern: fc.constantFrom("a", "*") }),
    }),
    fc.record({ tool: fc.constant("list_directory"), args: fc.record({ path: fc.constantFrom("tree", "tree/sub") }) }),
  );
  const step = fc.oneof({ weight: 2, arbitrary: change }, { weight: 5, arbitrary: asked });

  it("however reads and changes from outside follow each other", async () => {
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        rmSync(at("tree"), { recursive: true, force: true });
        mkdirSync(at("tree/sub"), { recursive: true });
        mkdirSync(at("tree/.git"));
        const { call, fresh, stats } = build();
        for (const next of steps) {
          if ("tool" in next) {
            const answer = await call(next.tool, next.args);
            expect(textOf(answer)).toBe(textOf(await fresh(next.tool, next.args)));
          } else if (next.op === "tool") {
            await call("write", { path: `tree/${next.name}`, content: next.content });
            expect(stats().entries).toBe(0);
          } else changeFiles(next);
        }
        hits += stats().hits;
      }),
      { numRuns: 8 },
    );
    expect(hits).toBeGreaterThan(0);
  });

  function changeFiles(next: { op: string; name?: string; to?: string; content?: string }): void {
    const path = at(`tree/${next.name ?? ""}`);
    const content = next.content ?? "";
    const acts: Record<string, () => void> = {
      write: () => {
        writeFileSync(path, content);
        utimesSync(path, 1, 1);
      },
      quietly: () => {
        const { size } = statSync(path);
        writeFileSync(path, content.padEnd(size, " ").slice(0, size));
        utimesSync(path, 1, 1);
      },
      append: () => appendFileSync(path, content),
      delete: () => unlinkSync(path),
      rename: () => renameSync(path, at(`tree/${next.to}`)),
      link: () => {
        if (lstatSync(path, { throwIfNoEntry: false })) unlinkSync(path);
        symlinkSync(at(`tree/${next.to}`), path);
      },
      swap: () => {
        rmSync(at("tree/old"), { recursive: true, force: true });
        renameSync(at("tree/sub"), at("tree/old"));
        mkdirSync(at("tree/sub"));
        writeFileSync(at("tree/sub/a"), readFileSync(at("tree/old/a")));
        rmSync(at("tree/old"), { recursive: true });
      },
      ignore: () => writeFileSync(at(`tree/${next.name}.gitignore`), content),
    };
    try {
      acts[next.op]!();
    } catch (error) {
      // A file that is not there cannot be renamed; a link may lead in a circle.
      if (!/^(ENOENT|ELOOP|EEXIST|EISDIR|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }

  /** On each line it reads it changes things for a while and then says so: the text in place, what a link leads to, which folder has a name. */
  const CHANGER = `
    const fs = require("node:fs");
    const acts = [
      (i) => { const fd = fs.openSync("text", "r+"); fs.writeSync(fd, i % 2 ? "AAAA" : "BBBB", 0); fs.closeSync(fd); },
      (i) => { fs.symlinkSync(i % 2 ? "one" : "two", "new"); fs.renameSync("new", "link"); },
      () => { fs.renameSync("folder", "aside"); fs.renameSync("other", "folder"); fs.renameSync("folder", "other"); fs.renameSync("aside", "folder"); },
      () => { fs.renameSync("link", "aside2"); fs.symlinkSync("two", "link"); fs.renameSync("aside2", "link"); },
      () => { fs.writeFileSync("folder/more", "x"); fs.unlinkSync("folder/more"); },
    ];
    process.stdin.setEncoding("utf8").on("data", () => {
      const act = acts[Math.floor(Math.random() * acts.length)];
      const until = performance.now() + 8;
      for (let i = Math.floor(Math.random() * 2); performance.now() < until; i++) act(i);
      process.stdout.write("done");
    });`;

  it("also when another process changes things while they are read", async () => {
    mkdirSync(at("race/folder"), { recursive: true });
    mkdirSync(at("race/other"));
    for (const [name, text] of Object.entries({ text: "AAAA", one: "1111", two: "2222", "folder/x": "folder", "other/x": "other" }))
      writeFileSync(at(`race/${name}`), text);
    symlinkSync("one", at("race/link"));
    const changer = spawn(process.execPath, ["-e", CHANGER], { cwd: at("race"), stdio: ["pipe", "pipe", "inherit"] });
    const asks = [
      ["read", { path: "race/text" }],
      ["read", { path: "race/link" }],
      ["read", { path: "race/folder/x" }],
      ["list_directory", { path: "race/folder" }],
      ["grep", { pattern: "e", path: "race/folder" }],
    ] as const;
    const { call, fresh, stats } = build();
    let hits = 0;
    for (let round = 0; round < 30; round++) {
      let isDone = false;
      const done = once(changer.stdout, "data").then(() => (isDone = true));
      changer.stdin.write("go\n");
      for (let i = 0; !isDone; i++) {
        const [tool, args] = asks[i % asks.length]!;
        await call(tool, args);
        if (i % 7 === 0) await new Promise(setImmediate);
      }
      await done;
      for (const [tool, args] of asks) {
        const answer = await call(tool, args);
        if (isHit(answer)) hits++;
        expect([tool, textOf(answer)]).toEqual([tool, textOf(await fresh(tool, args))]);
      }
    }
    changer.stdin.end();
    changer.kill();
    // Both things happened: answers from memory, and answers that no longer held.
    expect(hits).toBeGreaterThan(0);
    expect(stats().stale).toBeGreaterThan(0);
  });
});
