import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { installZeph, ripgrepIn } from "./installed.ts";
import { type Box, box, type Ended, ended, endWithTest, jsonLines } from "./zeph.ts";

const LONG = 120_000;

interface Installed extends Box {
  readonly zeph: string;
  readonly copies: string;
  readonly proof: string;
  /** Starts it as `npx zeph` does. */
  npx(args: readonly string[], input?: string, env?: Record<string, string>): Promise<Ended>;
}

function installed(): Installed {
  const at = box();
  const zeph = installZeph(at.cwd);
  return {
    ...at,
    zeph,
    copies: join(at.env.XDG_STATE_HOME!, "zeph/copies"),
    proof: join(at.root, "proof"),
    npx(args, input = "", env = {}) {
      const child = spawn(process.execPath, [join(at.cwd, "node_modules/.bin/zeph"), ...args], { cwd: at.cwd, env: { ...at.env, ...env } });
      endWithTest(child);
      child.stdin.on("error", () => {}).end(input);
      return ended(child);
    },
  };
}

const batch = (...calls: readonly (readonly [tool: string, args: object])[]): string =>
  calls.map(([tool, args], n) => JSON.stringify({ id: String(n + 1), tool, args })).join("\n");

const copiesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name)) : [];

/** A program in the place of ripgrep that says where it ran. */
const evil = (proof: string): string => `#!/bin/sh\nid > ${proof}\n`;

/** As the person's own program: writes into each JavaScript file of Zeph and of the packages beside it that it should leave a trace. */
const PLANT = (proof: string): string => `
for f in $(find node_modules -type f \\( -name '*.js' -o -name '*.cjs' -o -name '*.mjs' \\)); do
  case $f in
    *.cjs) p='try{require("fs").appendFileSync("${proof}","'$f'\\n")}catch{};' ;;
    *) p='import("node:fs").then(m=>m.appendFileSync("${proof}","'$f'\\n")).catch(()=>{});' ;;
  esac
  { printf '%s' "$p"; cat $f; } > .x && cat .x > $f
done; rm .x; echo planted`;

describe.runIf(available)("Zeph in the project it works in", () => {
  it("runs no ripgrep that a command put there", { timeout: LONG }, async () => {
    const at = installed();
    const rg = ripgrepIn(at.cwd).slice(at.cwd.length + 1);
    at.write("a.txt", "hello TODO\n");
    at.write("evil", evil(at.proof));
    const swap = `cp evil ${rg}.new && chmod 755 ${rg}.new && mv -f ${rg}.new ${rg}`;
    const { stdout } = await at.npx(["call", "--batch"], batch(["bash", { command: swap }], ["grep", { pattern: "TODO", path: "a.txt" }]));
    const [first, second] = jsonLines(stdout);
    expect(first.text).toContain(`node_modules/zeph changed: it is Zeph itself`);
    expect(second.text).toContain("hello TODO");
    expect(readFileSync(join(at.cwd, rg), "utf8")).toBe(evil(at.proof));
    expect(existsSync(at.proof)).toBe(false);
    // Nor is it started the next time.
    const next = await at.npx(["call", "grep", '{"pattern":"TODO"}']);
    expect(next).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("zeph in this project was changed; run npm ci, then start again"),
    });
    expect(existsSync(at.proof)).toBe(false);
  });

  it("loads no JavaScript that a command changed", { timeout: LONG }, async () => {
    const at = installed();
    at.write("a.txt", "TODO\n");
    at.write("page.html", "<h1>TODO</h1>\n".repeat(2000));
    at.write("big.txt", "a line of text\n".repeat(40_000));
    at.write("plant.sh", PLANT(at.proof));
    const calls = batch(
      ["bash", { command: "bash plant.sh" }],
      ["grep", { pattern: "TODO", path: "a.txt" }],
      ["read", { path: "big.txt" }],
      ["bash", { command: "cat big.txt" }],
      ["search_code", { query: "TODO" }],
      ["write", { path: "a.txt", content: "other\n" }],
      ["undo", {}],
      ["fetch", { url: "https://127.0.0.1:1/" }],
    );
    const { stdout } = await at.npx(["call", "--batch"], calls);
    expect(jsonLines(stdout)[0].text).toContain("planted");
    expect(existsSync(at.proof) ? readFileSync(at.proof, "utf8") : "").toBe("");
  });
});

describe("The private copy", () => {
  it("is made once, for this user alone, and used from then on", { timeout: LONG }, async () => {
    const at = installed();
    at.write("a.txt", "hello\n");
    expect((await at.npx(["call", "grep", '{"pattern":"hello"}'])).code).toBe(0);
    const [copy, ...more] = copiesIn(at.copies);
    expect(more).toEqual([]);
    expect(lstatSync(at.copies).mode & 0o777).toBe(0o700);
    const before = lstatSync(join(at.copies, copy!)).ino;
    expect((await at.npx(["--plain"], "/version\n")).stderr).not.toContain("changed");
    expect(lstatSync(join(at.copies, copy!)).ino).toBe(before);
    expect(readdirSync(join(at.copies, copy!, "users"))).toEqual([]);
    // Nothing of a start is left in the project.
    expect(readdirSync(join(at.zeph, "dist/cli")).filter((name) => name.endsWith(".code"))).toEqual([]);
  });

  it("is one, however many start at once", { timeout: LONG }, async () => {
    const at = installed();
    at.write("a.txt", "hello\n");
    const all = await Promise.all([1, 2, 3, 4].map(() => at.npx(["call", "grep", '{"pattern":"hello"}'])));
    expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(Array(4).fill([0, ""]));
    expect(copiesIn(at.copies)).toHaveLength(1);
    expect(readdirSync(at.copies).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it.each([
    ["a file of the command", (at: Installed) => appendFileSync(join(at.zeph, "dist/cli/main.cjs"), "\n;")],
    ["a file of the library", (at: Installed) => appendFileSync(join(at.zeph, "dist/lib/index.js"), "\n;")],
    ["a program that Zeph brings along", (at: Installed) => appendFileSync(join(at.zeph, "vendor/zeph-run-linux-x64"), "x")],
    ["a link in place of a file", linkInPlace],
    ["a file that is gone", (at: Installed) => rmSync(join(at.zeph, "dist/cli/prompt.cjs"))],
    ["the list itself", (at: Installed) => appendFileSync(join(at.zeph, "dist/files.json"), "\n")],
    ["no list", (at: Installed) => rmSync(join(at.zeph, "dist/files.json"))],
    ["ripgrep", (at: Installed) => appendFileSync(ripgrepIn(at.cwd), "x")],
    ["the native part of SQLite", (at: Installed) => appendFileSync(nativeOf(at), "x")],
    ["the code of a package beside it", (at: Installed) => appendFileSync(join(at.cwd, "node_modules/node-gyp-build/index.js"), "\n;")],
  ])("is not made of what differs: %s", { timeout: LONG }, async (_what, change) => {
    const at = installed();
    at.write("a.txt", "hello\n");
    expect((await at.npx(["call", "grep", '{"pattern":"hello"}'])).code).toBe(0);
    change(at);
    expect(await at.npx(["call", "grep", '{"pattern":"hello"}'])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("zeph in this project was changed; run npm ci, then start again"),
    });
  });

  it("is there again after npm ci, for a Zeph that runs meanwhile too", { timeout: LONG }, async () => {
    const at = installed();
    at.write("a.txt", "hello\n");
    const modules = join(at.cwd, "node_modules");
    const child = spawn(process.execPath, [join(modules, ".bin/zeph"), "call", "--batch"], { cwd: at.cwd, env: at.env });
    endWithTest(child);
    const answers = lines(child.stdout);
    child.stdin.write(`${batch(["read", { path: "a.txt" }])}\n`);
    expect((await answers.next()).value).toContain("hello");
    // What npm ci does: all of it goes, and comes again.
    cpSync(modules, join(at.root, "again"), { recursive: true, verbatimSymlinks: true });
    rmSync(modules, { recursive: true });
    child.stdin.write(`${batch(["grep", { pattern: "hello", path: "a.txt" }])}\n`);
    expect((await answers.next()).value).toContain("hello");
    renameSync(join(at.root, "again"), modules);
    child.stdin.end(`${batch(["grep", { pattern: "hello", path: "a.txt" }])}\n`);
    expect((await answers.next()).value).toContain("hello");
    expect((await at.npx(["call", "grep", '{"pattern":"hello"}'])).code).toBe(0);
    expect(copiesIn(at.copies)).toHaveLength(1);
  });

  it("is not made where Zeph lies elsewhere", { timeout: LONG }, async () => {
    const at = installed();
    const child = spawn(process.execPath, [join(at.zeph, "bin/zeph.cjs"), "call", "list_directory", '{"path":"."}'], {
      cwd: at.env.HOME,
      env: at.env,
    });
    endWithTest(child);
    child.stdin.end();
    expect((await ended(child)).code).toBe(0);
    expect(copiesIn(at.copies)).toEqual([]);
  });

  it("is made too where another folder is named, and where commands of an earlier session could write", { timeout: LONG }, async () => {
    const at = installed();
    at.write("a.txt", "hello\n");
    const from = (args: readonly string[]) => {
      const child = spawn(process.execPath, [join(at.zeph, "bin/zeph.cjs"), ...args], { cwd: at.env.HOME, env: at.env });
      endWithTest(child);
      child.stdin.end();
      return ended(child);
    };
    expect((await from(["--cwd", at.cwd, "call", "bash", '{"command":"true"}'])).code).toBe(0);
    expect(copiesIn(at.copies)).toHaveLength(1);
    rmSync(at.copies, { recursive: true });
    expect((await from(["call", "list_directory", '{"path":"."}'])).code).toBe(0);
    expect(copiesIn(at.copies)).toHaveLength(available ? 1 : 0);
  });

  it("lies in no folder that commands may write either", { timeout: LONG }, async () => {
    const at = installed();
    const { code, stderr } = await at.npx(["call", "list_directory", '{"path":"."}'], "", { XDG_STATE_HOME: join(at.cwd, ".state") });
    expect([code, stderr]).toEqual([2, expect.stringContaining("both lie in")]);
  });

  it("goes when it is old, and not while somebody uses it", { timeout: LONG }, async () => {
    const at = installed();
    // Each build has another list.
    for (let n = 0; n < 6; n++) {
      rmSync(join(at.copies, "packages/zeph%400.1.0"), { force: true });
      const list = JSON.parse(readFileSync(join(at.zeph, "dist/files.json"), "utf8"));
      writeFileSync(join(at.zeph, "dist/files.json"), JSON.stringify({ ...list, n }));
      expect((await at.npx(["call", "list_directory", '{"path":"."}'])).stderr).toBe("");
      if (n === 0) writeFileSync(join(at.copies, copiesIn(at.copies)[0]!, "users/kept"), "");
    }
    expect(copiesIn(at.copies)).toHaveLength(5);
  });
});

function linkInPlace(at: Installed): void {
  const file = join(at.zeph, "dist/cli/main.cjs");
  copyFileSync(file, join(at.root, "main.cjs"));
  rmSync(file);
  symlinkSync(join(at.root, "main.cjs"), file);
}

function nativeOf({ cwd }: Installed): string {
  const folder = join(cwd, "node_modules/@photostructure/sqlite/prebuilds", `${process.platform}-${process.arch}`);
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".node"))!);
  chmodSync(file, 0o755);
  return file;
}

async function* lines(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}
