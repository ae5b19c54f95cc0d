import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Preimage } from "../../core/ports/preimage.ts";
import type { PathTouch } from "../../core/touch.ts";
import { createPathRules } from "../files/paths.ts";
import { createPreimageKeeper, type KeeperBounds } from "./keeper.ts";
import { createPreimageStore, type PreimageBounds, type PreimageStore } from "./preimage-store.ts";

const base = mkdtempSync(join(tmpdir(), "preimages-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let places = 0;

function place(bounds?: Partial<PreimageBounds>, most?: Partial<KeeperBounds>) {
  const at = join(base, String(places++));
  const work = join(at, "work");
  const folder = join(at, "state", "preimages");
  mkdirSync(work, { recursive: true });
  const rules = createPathRules(work, { allowed_paths: [], deny_read: ["private/**"], allow_read: [] }, "/home/somebody");
  const store = createPreimageStore(folder, { bytes: 1e9, turns: 100, days: 7, ...bounds });
  const keeper = createPreimageKeeper(rules, store, { fileBytes: 1000, turnFiles: 20, turnBytes: 5000, ...most });
  const keep = (path: string, access: PathTouch["access"] = "delete", by = { turn: "t1", call: "c1" }) =>
    keeper.keep([{ kind: "path", access, path }], by);
  return { at, work, folder, store, keeper, keep, write: (name: string, text: string) => writeFileSync(join(work, name), text) };
}

const keptOf = (store: PreimageStore, turn: string) => store.story(turn).filter((record): record is Preimage => "was" in record);

describe("A file that a call is about to change", () => {
  it("is kept with its content, mode and identity, for this user alone", async () => {
    const { work, folder, store, keep, write } = place();
    write("a.sh", "one\n");
    const { ino, dev, mode } = statSync(join(work, "a.sh"));
    expect(await keep("a.sh")).toEqual([]);
    const [kept, ...more] = keptOf(store, "t1");
    expect(more).toEqual([]);
    expect(kept).toMatchObject({
      turn: "t1",
      call: "c1",
      path: join(work, "a.sh"),
      was: "file",
      mode: mode & 0o7777,
      identity: `${dev}:${ino}`,
      size: 4,
    });
    expect(store.content(kept!)?.toString()).toBe("one\n");
    for (const path of [folder, join(folder, "turns"), join(folder, "files")]) expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(join(folder, "files"))) expect(statSync(join(folder, "files", name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "turns", "t1.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("is kept once as it is and again when it is something else; equal contents lie there once", async () => {
    const { folder, store, keep, write } = place();
    write("a", "1");
    write("b", "1");
    await keep("a");
    await keep("a", "write", { turn: "t1", call: "c2" });
    await keep("b");
    write("a", "2");
    await keep("a", "delete", { turn: "t1", call: "c3" });
    expect(keptOf(store, "t1").map(({ path, call }) => [path.at(-1), call])).toEqual([
      ["a", "c1"],
      ["b", "c1"],
      ["a", "c3"],
    ]);
    expect(readdirSync(join(folder, "files"))).toHaveLength(2);
  });

  it("that is not there yet is written down as nothing", async () => {
    const { store, keep } = place();
    await keep("new/deep.txt", "write");
    expect(keptOf(store, "t1")).toMatchObject([{ was: "nothing" }]);
  });

  it("that is a link is kept as a link, and never what it leads to", async () => {
    const { at, work, folder, store, keep } = place();
    writeFileSync(join(at, "outside"), "secret");
    symlinkSync("../outside", join(work, "link"));
    await keep("link");
    expect(keptOf(store, "t1")).toMatchObject([{ was: "link", target: "../outside", path: join(work, "link") }]);
    expect(readdirSync(join(folder, "files"))).toEqual([]);
    // Written through, it is a file outside of the workspace, and none of ours.
    await keep("link", "write");
    symlinkSync("..", join(work, "up"));
    await keep("up/outside");
    expect(keptOf(store, "t1")).toHaveLength(1);
  });

  it("that may not be read, or is named like a secret, is kept by no name", async () => {
    const { work, store, keep, keeper, write } = place();
    mkdirSync(join(work, "private"));
    write("private/p", "x");
    linkSync(join(work, "private/p"), join(work, "other-name"));
    for (const name of [".env", ".env.local", "id_ed25519", "server.pem", "api-token.txt", "credentials.json"]) write(name, "x");
    for (const name of ["private/p", ".env", ".env.local", "id_ed25519", "server.pem", "api-token.txt", "credentials.json", "other-name"])
      expect([name, await keep(name)]).toEqual([name, [{ path: join(work, name), why: expect.any(String) }]]);
    expect(keptOf(store, "t1")).toEqual([]);
    expect(keeper.wouldKeep({ kind: "path", access: "delete", path: ".env" })).toBe(false);
    expect(keeper.wouldKeep({ kind: "path", access: "delete", path: "private/p" })).toBe(false);
  });

  it("is not kept beyond what one file, one turn and the store may take", async () => {
    const { keep, keeper, write, store } = place({}, { turnFiles: 2 });
    write("big", "x".repeat(1001));
    write("a", "a");
    write("b", "b");
    write("c", "c");
    expect(await keep("big")).toMatchObject([{ why: "it has 1001 bytes" }]);
    expect([await keep("a"), await keep("b"), (await keep("c")).length]).toEqual([[], [], 1]);
    expect(keeper.wouldKeep({ kind: "path", access: "delete", path: "big" })).toBe(false);
    keeper.endTurn("t1");
    expect(await keep("c", "delete", { turn: "t2", call: "c" })).toEqual([]);
    expect([keptOf(store, "t1").length, keptOf(store, "t2").length]).toEqual([2, 1]);
  });

  it("is nowhere where its name is only known at run time, or lies outside of the workspace or in the command's own home", () => {
    const { keeper } = place();
    for (const path of ["*.txt", "a?", "~/x", "/etc/passwd", "../x"])
      expect([path, keeper.wouldKeep({ kind: "path", access: "delete", path })]).toEqual([path, false]);
    expect(keeper.wouldKeep({ kind: "path", access: "delete", path: "not-there" })).toBe(true);
    expect(keeper.wouldKeep({ kind: "path", access: "delete", path: "." })).toBe(false);
  });
});

describe("What is kept", () => {
  it("goes when it is too old, too many or too much, the oldest turns first, with contents that nothing names any more", async () => {
    const { folder, keep, write } = place();
    for (const n of [1, 2, 3, 4]) {
      write("a", String(n).repeat(100));
      await keep("a", "delete", { turn: `t${n}`, call: "c" });
      const then = (Date.now() - (5 - n) * 3_600_000) / 1000;
      utimesSync(join(folder, "turns", `t${n}.jsonl`), then, then);
    }
    for (const name of readdirSync(join(folder, "files"))) utimesSync(join(folder, "files", name), 1, 1);
    const leftAfter = (bounds: Partial<PreimageBounds>) => {
      const store = createPreimageStore(folder, { bytes: 1e9, turns: 100, days: 7, ...bounds });
      store.add({ turn: "now", call: "c", at: 0, path: "/x", was: "nothing" }, null);
      return readdirSync(join(folder, "turns"))
        .map((name) => name.replace(".jsonl", ""))
        .sort();
    };
    expect(leftAfter({ turns: 3 })).toEqual(["now", "t2", "t3", "t4"]);
    rmSync(join(folder, "turns", "now.jsonl"));
    expect(leftAfter({ bytes: 250 })).toEqual(["now", "t3", "t4"]);
    rmSync(join(folder, "turns", "now.jsonl"));
    expect(leftAfter({ days: 1.5 / 24 })).toEqual(["now", "t4"]);
    expect(readdirSync(join(folder, "files"))).toHaveLength(1);
  });

  it("is not believed when somebody changed it, and a line that was cut short is none", async () => {
    const { folder, store, keep, write } = place();
    write("a", "1");
    await keep("a");
    const [kept] = keptOf(store, "t1");
    writeFileSync(join(folder, "files", kept!.hash!), "2");
    expect(store.content(kept!)).toBeNull();
    expect(store.content({ ...kept!, hash: "../turns/t1.jsonl" })).toBeNull();
    writeFileSync(join(folder, "turns", "t1.jsonl"), `${readFileSync(join(folder, "turns", "t1.jsonl"), "utf8")}{"turn":"t1","pa`);
    expect(keptOf(store, "t1")).toHaveLength(1);
    expect(store.story("../../etc/passwd")).toEqual([]);
  });
});
