import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { says, scripted } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { box, ended, endWithTest } from "./zeph.ts";

/** What only machines that share a database need. */
const FLEET = /node_modules\/(?:pg(?:-[\w-]+)?|pgpass|@nats-io\/[\w-]+|jose)\//;
/** Node then tells on stderr of every module that it reads. */
const TELLS = { NODE_DEBUG: "module,esm" };

describe("a laptop reads nothing of pg, NATS and jose", () => {
  it.each([[["--version"]], [["call", "read", '{"path":"turns.json"}']], [["sessions"]], [["tools"]], [["run", "Hello"]]])(
    "with zeph %j",
    async (args) => {
      const here = scripted(box(), [[says("Hello.")]]);
      const { code, stderr } = await here.runProcess(args, { env: TELLS });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^MODULE \d+: load "/m);
      expect(stderr).not.toMatch(FLEET);
    },
  );

  it.skipIf(!hasTerminal)("with a chat and its first answer", async () => {
    const tty = terminal(scripted(box(), [[says("A first answer.")]]), "", { env: TELLS });
    await tty.see("you> ");
    tty.type("Hello\r");
    await tty.see("A first answer.");
    await tty.see("you> ");
    tty.type("/exit\r");
    await tty.end;
    expect(tty.text()).toMatch(/: load ".*main\.cjs|: load built-in module/);
    expect(tty.text()).not.toMatch(FLEET);
  });

  it("with the library's createRuntime, and a call", async () => {
    const here = box();
    here.write("a.txt", "hello\n");
    const program = `
      import { createRuntime } from ${JSON.stringify(pathToFileURL(resolve("dist/lib/index.js")).href)};
      const zeph = await createRuntime({ store: "memory", config: { tools: { permissions: { read: [{ pattern: "*", action: "allow" }] } } } });
      console.log((await zeph.call("read", { path: "a.txt" })).ok);
      await zeph.close();`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: here.cwd, env: { ...here.env, ...TELLS } });
    endWithTest(child);
    const { stdout, stderr } = await ended(child);
    expect(stdout).toBe("true\n");
    expect(stderr).toMatch(/ESM \d+: /);
    expect(stderr).not.toMatch(FLEET);
  });

  it("and would be found out: with a shared store pg is read, and all three are there to be read", async () => {
    const { code, stderr } = await box().runProcess(["--set", "store.url=postgres://nobody@127.0.0.1:1/none", "sessions"], { env: TELLS });
    expect(code).toBe(2);
    expect(stderr).toMatch(/MODULE \d+: load ".*node_modules\/pg\/lib\/index\.js"/);
    for (const name of ["pg", "@nats-io/transport-node", "jose"]) expect(existsSync(`node_modules/${name}/package.json`)).toBe(true);
  });
});
