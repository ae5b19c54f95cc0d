import { spawn } from "node:child_process";
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
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

function installed(purpose: "command" | "library" = "command"): Installed {
  const at = box();
  const zeph = installZeph(at.cwd, purpose);
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

/** A program for a command: each JavaScript file of Zeph and of the packages beside it leaves a trace when it is loaded. */
const PLANT = (proof: string): string => `
const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
for (const name of readdirSync("node_modules", { recursive: true })) {
  const file = "node_modules/" + name;
  if (!/\\.[cm]?js$/.test(file)) continue;
  const trace = (append) => append + "(" + JSON.stringify(${JSON.stringify(proof)}) + "," + JSON.stringify(file + "\\n") + ")";
  const first = file.endsWith(".cjs")
    ? "try{" + trace('require("fs").appendFileSync') + "}catch{};"
    : 'import("node:fs").then((m)=>' + trace("m.appendFileSync") + ").catch(()=>{});";
  try {
    writeFileSync(file, first + readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code !== "EISDIR") throw error;
  }
}
console.log("planted");`;

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
    at.write("plant.cjs", PLANT(at.proof));
    const calls = batch(
      ["bash", { command: "node plant.cjs" }],
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

const PROGRAM = `
import { readFileSync } from "node:fs";
import { createAgent, createRuntime, scriptModel } from "zeph";
const said = [];
const zeph = await createRuntime({ cwd: process.cwd(), config: {}, onEvent: (event) => event.type === "warning" && said.push(event.message) });
const call = async (tool, args) => {
  const outcome = await zeph.call(tool, args);
  console.log(JSON.stringify({ tool, ok: outcome.ok, text: JSON.stringify(outcome).slice(0, 2000) }));
};
await call("bash", { command: readFileSync("plant.sh", "utf8") });
await call("grep", { pattern: "TODO", path: "a.txt" });
await call("read", { path: "big.txt" });
await call("bash", { command: "cat big.txt page.html" });
await call("search_code", { query: "TODO" });
await call("edit", { path: "a.txt", old_string: "TODO", new_string: "DONE" });
await call("fetch", { url: "https://127.0.0.1:1/" });
const agent = await createAgent({ cwd: process.cwd(), config: {}, store: "memory", model: scriptModel([[{ type: "text", text: "hello" }]]) });
await agent.close();
await zeph.close();
`;

describe.runIf(available)("A program in the project that Zeph is installed in", () => {
  it("loads nothing that a command changed, and names the change", { timeout: LONG }, async () => {
    const at = installed("library");
    at.write("a.txt", "TODO\n");
    at.write("page.html", "<h1>TODO</h1>\n".repeat(2000));
    at.write("big.txt", "a line of text\n".repeat(40_000));
    const rg = ripgrepIn(at.cwd).slice(at.cwd.length + 1);
    at.write("evil", evil(at.proof));
    at.write("plant.cjs", PLANT(at.proof));
    at.write("plant.sh", `cp evil ${rg}.new && chmod 755 ${rg}.new && mv -f ${rg}.new ${rg} && node plant.cjs\n`);
    at.write("program.mjs", PROGRAM);
    const run = async () => {
      const child = spawn(process.execPath, ["program.mjs"], { cwd: at.cwd, env: at.env });
      endWithTest(child);
      child.stdin.end();
      return ended(child);
    };
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, ""]);
    const [planted, found] = jsonLines(stdout);
    expect(planted.text).toContain("planted");
    expect(planted.text).toContain("node_modules/zeph changed: it is Zeph itself");
    expect(found.text).toContain("TODO");
    expect(existsSync(at.proof) ? readFileSync(at.proof, "utf8") : "").toBe("");
  });
});

describe.runIf(available)("The private copy", () => {
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

  it("is made where commands may write Zeph, now or in an earlier session, and nowhere else", { timeout: LONG }, async () => {
    const at = installed();
    const from = (args: readonly string[]) => {
      const child = spawn(process.execPath, [join(at.zeph, "bin/zeph.cjs"), ...args], { cwd: at.env.HOME, env: at.env });
      endWithTest(child);
      child.stdin.end();
      return ended(child);
    };
    expect((await from(["call", "list_directory", '{"path":"."}'])).code).toBe(0);
    expect(copiesIn(at.copies)).toEqual([]);
    expect((await from(["--cwd", at.cwd, "call", "bash", '{"command":"true"}'])).code).toBe(0);
    expect(copiesIn(at.copies)).toHaveLength(1);
    rmSync(at.copies, { recursive: true });
    expect((await from(["call", "list_directory", '{"path":"."}'])).code).toBe(0);
    expect(copiesIn(at.copies)).toHaveLength(1);
    const { code, stderr } = await at.npx(["call", "list_directory", '{"path":"."}'], "", { XDG_STATE_HOME: join(at.cwd, ".state") });
    expect([code, stderr]).toEqual([2, expect.stringContaining("both lie in")]);
  });
});

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
