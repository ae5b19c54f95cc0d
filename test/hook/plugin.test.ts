import { execFileSync, spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { encodeFrames } from "../../src/front/hookd/wire.ts";
import type { OnFailure } from "../../src/hook/install/client-plan.ts";
import { CLIENT_PLANS } from "../../src/hook/install/client-plans.ts";
import { withHooks } from "../../src/hook/install/edit-text.ts";
import { hookLine } from "../../src/hook/install/mark.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "zeph-plugin-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
/** Runs a plugin as its client would, with a program in Zeph's place that does what the script says. */
function drive(
  client: "opencode" | "pi",
  script: string | null,
  onFailure: OnFailure = "deny",
  hasUI = false,
): { readonly said: string; readonly input: any } {
  const at = join(folder, String(count++));
  mkdirSync(at);
  const program = join(at, "zeph hook");
  if (script !== null) writeFileSync(program, `#!/bin/sh\ncat > '${at}/input.json'\n${script}\n`, { mode: 0o700 });
  const { text } = withHooks(CLIENT_PLANS[client], null, (event) => hookLine([program], client, event, onFailure), {
    mode: "guard",
    onFailure,
  });
  writeFileSync(join(at, "plugin.mjs"), text);
  writeFileSync(join(at, "drive.mjs"), DRIVERS[client](hasUI));
  const { stdout, stderr, status } = spawnSync(process.execPath, ["drive.mjs"], { cwd: at, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  const sent = script === null ? "null" : execFileSync("cat", [join(at, "input.json")], { encoding: "utf8" });
  return { said: stdout.trim(), input: JSON.parse(sent) };
}

const DRIVERS = {
  opencode: () => `import { Zeph } from "./plugin.mjs";
const hooks = await Zeph({ directory: "/w" });
const output = { args: { command: "ls" } };
try { await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, output); console.log("runs " + output.args.command); }
catch (error) { console.log("denied: " + error.message); }`,
  pi: (hasUI: boolean) => `import extension from "./plugin.mjs";
const on = {};
extension({ on: (name, handler) => { on[name] = handler; } });
const event = { toolName: "bash", toolCallId: "c", input: { command: "ls" } };
const ctx = { hasUI: ${hasUI}, cwd: "/w", ui: { confirm: async (_title, text) => text === "sure?" } };
const said = await on.tool_call(event, ctx);
console.log(said?.block ? "denied: " + said.reason : "runs " + event.input.command);`,
};

const answer = (value: object) => `echo '${JSON.stringify(value)}'`;
const NOTHING = /^denied: [\s\S]*zeph did not answer/;

describe.each(["opencode", "pi"] as const)("the plugin of %s", (client) => {
  it("a call that Zeph says nothing against runs as it is", () => {
    expect(drive(client, answer({ verdict: "silent" })).said).toBe("runs ls");
  });
  it("a call that Zeph denies does not run, and the model reads why", () => {
    expect(drive(client, answer({ verdict: "deny", reason: "not here" })).said).toBe("denied: not here");
  });
  it("a command that Zeph rewrites runs as rewritten", () => {
    expect(drive(client, answer({ verdict: "silent", args: { command: "zeph-exec 1" } })).said).toBe("runs zeph-exec 1");
  });
  it.each([
    ["a missing program", null],
    ["a crash", "kill -9 $$"],
    ["exit code 1", "exit 1"],
    ["silence", "exit 0"],
    ["garbage", "echo hello"],
    ["an unknown word", answer({ verdict: "maybe" })],
    ["a verdict of another type", answer({ verdict: true })],
  ])("a failure does not let a call run: %s", (_name, script) => {
    expect(drive(client, script).said).toMatch(NOTHING);
  });
  it("a failure lets a call run where a person chose that, and a denial does not", () => {
    expect(drive(client, "exit 1", "allow").said).toBe("runs ls");
    expect(drive(client, null, "allow").said).toBe("runs ls");
    expect(drive(client, "echo no >&2; exit 2", "allow").said).toBe("denied: no");
  });
});

it("opencode is told of no question, and one is a denial there", () => {
  const { said, input } = drive("opencode", answer({ verdict: "ask", reason: "sure?" }));
  expect(said).toBe("denied: sure?");
  expect(input).toMatchObject({ ev: "before", directory: "/w", args: { command: "ls" }, canAsk: false, input: { tool: "bash" } });
});

it("pi puts the question where somebody sees it, and denies elsewhere", () => {
  expect(drive("pi", answer({ verdict: "ask", reason: "sure?" }), "deny", true).said).toBe("runs ls");
  expect(drive("pi", answer({ verdict: "ask", reason: "other" }), "deny", true).said).toBe("denied: other");
  const { said, input } = drive("pi", answer({ verdict: "ask", reason: "sure?" }));
  expect(said).toBe("denied: sure?");
  expect(input).toMatchObject({ ev: "tool_call", cwd: "/w", toolName: "bash", hasUI: false });
});

/** A plugin beside a package of its own, and somebody at the socket of hookd who answers with these frames. */
async function driveBeside(
  client: "opencode" | "pi",
  { reply, mode = "guard", change }: Beside,
): Promise<{ readonly said: string; readonly asked: any }> {
  const at = join(folder, String(count++));
  for (const name of ["bin", "home/.local/state/zeph/hook"]) mkdirSync(join(at, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(at, "package.json"), '{"version":"7.7.7"}');
  const program = join(at, "bin/zeph-hook");
  writeFileSync(program, `#!/bin/sh\n${answer({ verdict: "deny", reason: "by the line" })}\n`, { mode: 0o700 });
  const how = { mode, onFailure: "deny", program: [program] } as const;
  writeFileSync(
    join(at, "plugin.mjs"),
    withHooks(CLIENT_PLANS[client], null, (event) => hookLine([program], client, event, "deny"), how).text,
  );
  writeFileSync(join(at, "drive.mjs"), DRIVERS[client](false));
  change?.(program);
  let asked: any = null;
  const server = createServer((socket) =>
    socket
      .on("error", () => {})
      .once("data", (line) => {
        asked = JSON.parse(line.toString());
        socket.end(Buffer.concat(reply.map(([letter, bytes]) => encodeFrames(letter, Buffer.from(bytes)))));
      }),
  );
  await new Promise<void>((resolve) => server.listen(join(at, "home/.local/state/zeph/hook/hook.sock"), resolve));
  const env = { PATH: process.env.PATH!, HOME: join(at, "home") };
  const child = spawn(process.execPath, ["drive.mjs"], { cwd: at, env });
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  await new Promise((resolve) => child.on("close", resolve));
  await new Promise((resolve) => server.close(resolve));
  return { said: said.trim(), asked };
}
interface Beside {
  readonly reply: readonly (readonly [string, string])[];
  readonly mode?: "guard" | "walls";
  change?(program: string): void;
}
const ALLOWED = [
  ["o", '{"verdict":"silent"}'],
  ["x", "\0"],
] as const;

describe.each(["opencode", "pi"] as const)("the plugin of %s beside hookd", (client) => {
  it("asks it over its socket, and starts no program", async () => {
    const { said, asked } = await driveBeside(client, { reply: [["w", ""], ...ALLOWED] });
    expect(said).toBe("runs ls");
    expect(asked).toMatchObject({ v: 1, frames: true, zeph: "7.7.7", client, event: "pre", tty: false });
    expect(JSON.parse(asked.input)).toMatchObject(client === "pi" ? { toolName: "bash" } : { args: { command: "ls" } });
  });
  it("takes its no", async () => {
    const reply = [
      ["e", "not this"],
      ["x", "\u0002"],
    ] as const;
    expect((await driveBeside(client, { reply })).said).toBe("denied: not this");
  });
  it("makes no call where it ends without an answer, or says what is none", async () => {
    for (const reply of [
      [],
      [["o", "{}"]],
      [["q", "hello"]],
      [
        ["o", "no json"],
        ["x", "\0"],
      ],
    ] as const)
      expect((await driveBeside(client, { reply })).said).toMatch(NOTHING);
  });
  it("runs the command line where hookd is of another version, the program is another one, or walls are wanted", async () => {
    expect((await driveBeside(client, { reply: [["a", ""]] })).said).toBe("denied: by the line");
    const changed = await driveBeside(client, { reply: ALLOWED, change: (program) => appendFileSync(program, "# changed\n") });
    expect(changed).toEqual({ said: "denied: by the line", asked: null });
    const gone = await driveBeside(client, { reply: ALLOWED, change: (program) => rmSync(program) });
    expect(gone.said).toMatch(NOTHING);
    expect((await driveBeside(client, { reply: ALLOWED, mode: "walls" })).asked).toBeNull();
  });
});
