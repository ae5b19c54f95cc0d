import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { type Box, box, type Ended, ended, endWithTest, jsonLines } from "./zeph.ts";

/** Two builds, each of which takes about as long as the types of all modules. */
const LONG = 300_000;
const PARTS = ["bin", "native", "scripts", "src", "vendor", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

interface Checkout extends Box {
  build(): Promise<Ended>;
  zeph(...args: readonly string[]): Promise<Ended>;
}

/** A clone whose packages are installed. They lie elsewhere, so that a test does not copy all of them. */
function checkout(): Checkout {
  const at = box();
  for (const name of PARTS) cpSync(resolve(name), join(at.cwd, name), { recursive: true });
  mkdirSync(join(at.cwd, ".git"));
  symlinkSync(resolve("node_modules"), join(at.cwd, "node_modules"));
  const node = (args: readonly string[]) => {
    const child = spawn(process.execPath, args, { cwd: at.cwd, env: at.env });
    endWithTest(child);
    child.stdin.end();
    return ended(child);
  };
  return { ...at, build: () => node(["scripts/build.mjs"]), zeph: (...args) => node(["bin/zeph.cjs", ...args]) };
}

/** A program for a command: other code, and a list of files that agrees with it. */
const REBUILD = (proof: string): string => `
const { readFileSync, writeFileSync } = require("node:fs");
const main = "dist/cli/main.cjs";
const trace = ${JSON.stringify(`try{process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(proof)},"ran")}catch{};`)};
writeFileSync(main, trace + readFileSync(main, "utf8"));
const list = JSON.parse(readFileSync("dist/files.json", "utf8"));
list.files[main] = require("node:crypto").createHash("sha256").update(readFileSync(main)).digest("hex");
writeFileSync("dist/files.json", JSON.stringify(list));
console.log("rebuilt");`;

describe.runIf(available)("A checkout of Zeph as the workspace", () => {
  it("is started as a person built it, and not as a command did", { timeout: LONG }, async () => {
    const at = checkout();
    const proof = join(at.root, "proof");
    const list = () => at.zeph("call", "list_directory", '{"path":"bin"}');
    expect(await at.build()).toMatchObject({ code: 0, stderr: "" });
    const hash = createHash("sha256")
      .update(readFileSync(join(at.cwd, "dist/files.json")))
      .digest("hex");
    const recorded = join(at.env.XDG_STATE_HOME!, "zeph/copies/builds", createHash("sha256").update(at.cwd).digest("hex").slice(0, 32));
    expect(readFileSync(recorded, "utf8")).toBe(hash);
    expect(await list()).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(join(at.cwd, "rebuild.cjs"), REBUILD(proof));
    const { stdout } = await at.zeph("call", "bash", '{"command":"node rebuild.cjs"}', "--json");
    expect(jsonLines(stdout)[0].text).toMatch(/rebuilt[\s\S]*it is Zeph itself.*Run npm run build first/);
    expect(await list()).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("run npm run build, then start again") });
    expect(existsSync(proof)).toBe(false);
    // A build of another content, as after a pull.
    appendFileSync(join(at.cwd, "vendor/README.md"), "\n");
    expect(await at.build()).toMatchObject({ code: 0, stderr: "" });
    expect(await list()).toMatchObject({ code: 0, stderr: "" });
  });
});
