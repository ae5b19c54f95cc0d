import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Setup, type Workspace, workspace } from "../workspace.ts";
import { available } from "./support.ts";

const SECRET = "hunter2-secret";
const SETUP: readonly Setup[] = [
  { op: "file", path: "work/.env", content: `TOKEN=${SECRET}\n` },
  { op: "file", path: "work/d/.env", content: `TOKEN=${SECRET}\n` },
  { op: "file", path: "work/d/open.txt", content: "open\n" },
  { op: "file", path: "work/node_modules/x/.env", content: `${SECRET}\n` },
  { op: "file", path: "work/secrets/deep/key.txt", content: `${SECRET}\n` },
  { op: "file", path: "work/anchored/only-here.txt", content: `${SECRET}\n` },
];
const DENY = ["**/.env", "secrets/**", "./anchored/only-here.txt"];

let place: Workspace;
afterEach(() => place.remove());

async function opened(deny: readonly string[] = DENY, more: object = {}) {
  place = workspace(SETUP);
  linkSync(join(place.work, ".env"), join(place.work, "innocent.txt"));
  symlinkSync("d/.env", join(place.work, "soft.txt"));
  const config = {
    audit: { path: join(place.state, "audit.jsonl") },
    tools: { file: { deny_read: deny }, overflow: { threshold: 1e8 }, ...more },
  };
  return place.runtime({ config });
}
const shown = (outcome: object) => JSON.stringify(outcome);

describe.runIf(available)("Behind walls, a file that deny_read matches", () => {
  it.each([
    "f=.e; cat ${f}nv d/${f}nv",
    "cat $(printf '.\\145nv')",
    "grep -r hunter2 .",
    "grep -rh . . --include='.e*'",
    "tar cf - . | strings",
    "cp -r . /tmp/all; grep -r hunter2 /tmp/all",
    "find . -type f -exec cat {} +",
    "cat d/.e*",
    "cat .??v d/.[e]nv",
    "cat innocent.txt",
    "base64 -w0 < innocent.txt | base64 -d",
    "ln innocent.txt other; cat other",
    "chmod 777 d .env innocent.txt; for f in $(ls -A); do head -c 100 $f; done",
    "cat secrets/*/*",
    "mv anchored moved; cat moved/*",
    "mv d e; cat e/.e*",
    "mkdir z; mv anchored z/; cat z/anchored/*",
    "python3 -c \"print(open('.e'+'nv').read())\"",
    "perl -e 'open(F, q(.e).q(nv)); print <F>'",
    "cd d && x=env && cat .$x",
    "cat node_modules/x/.en?",
  ])("is not shown by: %s", async (command) => {
    const zeph = await opened();
    const outcome = await zeph.call("bash", { command });
    expect(shown(outcome)).not.toContain(SECRET);
    const again = await zeph.call("bash", { command: "cat moved/* e/.e* z/anchored/* other 2>/dev/null; grep -rh hunter2 . ; true" });
    expect(shown(again)).not.toContain(SECRET);
    expect(again).toMatchObject({ ok: true });
    await zeph.close();
  });

  it("is as unreadable in the background, in a dry run and from a sub-folder", async () => {
    const zeph = await opened();
    const dry = await zeph.dryRun("cat .en*; cp -r d d2; grep -r hunter2 .; echo done");
    expect(shown(dry)).not.toContain(SECRET);
    expect(shown(dry)).toContain("done");
    const started = await zeph.call("bash", { command: "cd d; cat .en*; echo done", background: true });
    const { run_id } = (started as { output: { raw: { run_id: string } } }).output.raw;
    const ended = await zeph.call("background", { action: "wait", run_id, seconds: 20 });
    // What it printed in its first second is told with the start.
    const told = shown(started) + shown(ended);
    expect(told).not.toContain(SECRET);
    expect(told).toContain("done");
    await zeph.close();
  });

  it("leaves ordinary work alone", async () => {
    const zeph = await opened();
    const outcome = await zeph.call("bash", {
      command: "cat d/open.txt; echo x > d/new.txt; mkdir -p a/b; mv d/open.txt a/; ls secrets | wc -l; cp .env.example .envx; true",
    });
    expect(outcome).toMatchObject({ ok: true });
    await zeph.close();
  });

  it("of which there are too many is asked about, and refused when nobody can be asked", async () => {
    const zeph = await opened(["**/*.many"]);
    mkdirSync(join(place.work, "m"));
    for (let n = 0; n < 210; n++) writeFileSync(join(place.work, "m", `${n}.many`), SECRET);
    const outcome = await zeph.call("bash", { command: "true" });
    expect(outcome).toMatchObject({ ok: false, error: { category: "confirmation_required" }, decision: { gate: "permissions" } });
    rmSync(join(place.work, "m"), { recursive: true });
    expect(await zeph.call("bash", { command: "true" })).toMatchObject({ ok: true });
    await zeph.close();
  });

  it("in a folder whose name is no text makes a command a question, since no wall can be built there", async () => {
    const zeph = await opened();
    const folder = Buffer.concat([Buffer.from(`${place.work}/`), Buffer.from([0xff])]);
    mkdirSync(folder);
    writeFileSync(Buffer.concat([folder, Buffer.from("/.env")]), SECRET);
    const outcome = await zeph.call("bash", { command: "bash -c 'for f in */.en?; do cat \"$f\"; done'" });
    expect(shown(outcome)).not.toContain(SECRET);
    expect(outcome).toMatchObject({ ok: false, error: { category: "confirmation_required" }, decision: { gate: "permissions" } });
    expect(shown(outcome)).toContain("is no text");
    rmSync(folder, { recursive: true });
    expect(await zeph.call("bash", { command: "true" })).toMatchObject({ ok: true });
    await zeph.close();
  });
});

describe("A command that names a file that deny_read matches", () => {
  it.each([
    "cat .env",
    "cat d/.env",
    "cat ./d/../.env",
    "head -n1 < d/.env",
    "source .env",
    ". ./.env",
    "grep TOKEN d/.env",
    "cp d/.env x",
    "tar cf x.tar d/.env",
    "git diff --no-index /dev/null d/.env",
    "git show HEAD:d/.env",
    "cd d && cat .env",
    "cat soft.txt",
    "python3 -c \"print(open('.env').read())\"",
    "curl -F f=@.env file:///x",
    "mv .env y",
  ])("is refused before it starts: %s", async (command) => {
    const zeph = await opened();
    const outcome = await zeph.call("bash", { command });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    await zeph.close();
  });
  it.each(["grep -r x . --exclude=.env", "rg -g '!.env' x .", "echo .env >> .gitignore", "git check-ignore .env", "cat .env.example"])(
    "is not what this does: %s",
    async (command) => {
      const zeph = await opened();
      const { trace } = await zeph.judge("bash", { command });
      expect(trace.find(({ gate }) => gate === "files")).toMatchObject({ kind: "pass" });
      await zeph.close();
    },
  );
});

describe("Another name of a file that deny_read matches", () => {
  it.each([
    ["read", { path: "innocent.txt" }],
    ["grep", { pattern: "TOKEN", path: "innocent.txt" }],
    ["copy_path", { source: "innocent.txt", destination: "copy.txt" }],
    ["move_path", { source: "innocent.txt", destination: "moved.txt" }],
    ["edit", { path: "innocent.txt", old_string: "TOKEN", new_string: "X" }],
  ])("is not read by %s", async (tool, args) => {
    place = workspace(SETUP);
    linkSync(join(place.work, ".env"), join(place.work, "innocent.txt"));
    const zeph = await place.runtime({ file: { deny_read: DENY } });
    const outcome = await zeph.call(tool, args);
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect(shown(outcome)).not.toContain(SECRET);
    expect(shown(await zeph.call("grep", { pattern: "hunter2", path: "." }))).not.toContain(SECRET);
    expect(shown(await zeph.call("write", { path: "innocent.txt", content: "x" }))).not.toContain(SECRET);
    await zeph.close();
  });
});
