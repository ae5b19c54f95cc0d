import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { calls, says, scripted } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { type Box, box, ended, jsonLines } from "./zeph.ts";

const DENY_READ = '[[tools.permissions.read]]\npattern = "**/*.*"\naction = "deny"\n';
const DENY_WRITE = '[[tools.permissions.write]]\npattern = "*"\naction = "deny"\n';
const SCRIPTED = '[[llm.providers]]\nname = "script"\ntype = "script"\nmodel = "turns.json"\n';

/** The user's configuration, put in place as an editor does it. */
function config(here: Box, toml: string): void {
  const file = join(here.env.XDG_CONFIG_HOME!, "zeph", "config.toml");
  renameSync(here.write(`${file}~`, toml), file);
}

/** Waits until a text was printed, after the one before. */
function reader(stream: Readable) {
  let text = "";
  let seen = 0;
  let wake = () => {};
  stream.on("data", (chunk: Buffer) => {
    text += String(chunk);
    wake();
  });
  return async (wanted: string): Promise<void> => {
    while (!text.includes(wanted, seen))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    seen = text.indexOf(wanted, seen) + wanted.length;
  };
}

it.runIf(available)("a signal leaves a command alone that reads no rules again", async () => {
  const here = box();
  const child = here.start(["call", "bash", '{"command":"touch started; sleep 1; echo done"}']);
  const end = ended(child);
  while (!existsSync(join(here.cwd, "started"))) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGUSR2");
  expect(await end).toMatchObject({ code: 0, stdout: expect.stringContaining("done") });
});

it("a console reads its rules again when a file changes, and on a signal", async () => {
  const here = box();
  here.write("a.txt", "one\n");
  const child = here.start([]);
  const end = ended(child);
  const [said, told] = [reader(child.stdout), reader(child.stderr)];
  child.stdin.write("read a.txt\n");
  await said("1\tone");
  await told("ok, ");
  config(here, DENY_READ);
  await told("New rules count from now on: tools.permissions.\n");
  child.stdin.write("read a.txt\n");
  await told("denied by permissions");
  child.kill("SIGUSR2");
  await told("No rule has changed.\n");
  config(here, "[tools\n");
  await told("The changed rules are not used; the old rules stay:");
  await told("config.toml:1:");
  child.stdin.write("read a.txt\n");
  await told("denied by permissions");
  config(here, "# none\n");
  await told("New rules count from now on: tools.permissions.\n");
  child.stdin.end("read a.txt\n");
  await said("1\tone");
  expect((await end).code).toBe(3);
  const { stdout } = await here.run(["audit", "tail", "--json"]);
  const notes = jsonLines(stdout).flatMap(({ note }) => (note?.startsWith("rules ") ? [note] : []));
  expect(notes).toEqual([
    "rules reloaded (a file changed): tools.permissions",
    "rules reloaded (a signal): nothing changed",
    expect.stringMatching(/^rules not reloaded \(a file changed\): .*config\.toml:1:/),
    "rules reloaded (a file changed): tools.permissions",
  ]);
});

it("a run refuses what a rule forbids that came while the question was open", async () => {
  const here = scripted(box(), [[calls("write", { path: "new.txt", content: "hello\n" })], [says("ok")]]);
  const child = here.start(["run", "--json", "go"]);
  const end = ended(child);
  const said = reader(child.stdout);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += String(chunk);
  });
  await said('"type":"question"');
  config(here, DENY_WRITE + SCRIPTED);
  child.kill("SIGUSR2");
  await said('{"type":"reload","changed":["tools.permissions"],"later":[]}');
  const { call_id } = jsonLines(text).find(({ type }) => type === "question");
  child.stdin.end(`${JSON.stringify({ call_id, answer: "once" })}\n`);
  const { code, stdout } = await end;
  expect(code).toBe(3);
  expect(jsonLines(stdout).find(({ type }) => type === "tool_end")).toMatchObject({
    ok: false,
    decision: { verdict: "deny", gate: "permissions", rule: "write[0] deny *" },
  });
});

it("a run for people tells it on stderr, and ends by itself as before", async () => {
  const wait = calls("bash", { command: "until [ -e go ]; do sleep 0.1; done" });
  const here = scripted(box(), [[wait], [calls("read", { path: "turns.json" })], [says("ok")]], 'autonomy = "full"');
  const child = here.start(["run", "go"]);
  const end = ended(child);
  const told = reader(child.stderr);
  // The model has asked by the time its intent is in the log.
  while (!(await here.run(["audit", "tail"])).stdout.includes("bash"));
  config(here, `autonomy = "full"\n${DENY_READ}${SCRIPTED}`);
  await told("New rules count from now on: tools.permissions.\n");
  here.write("go", "");
  const { code, stdout, stderr } = await end;
  expect({ code, stdout }).toEqual({ code: 3, stdout: "ok\n" });
  expect(stderr).toContain("read turns.json: denied by permissions");
});

it("zeph schedule run tells that rules were read again", async () => {
  const here = scripted(box(), [[says("ok")]]);
  const child = here.start(["schedule", "run"]);
  const end = ended(child);
  const told = reader(child.stderr);
  await told("Waiting for what is scheduled");
  child.kill("SIGUSR2");
  await told("No rule has changed.\n");
  config(here, DENY_READ + SCRIPTED);
  await told("New rules count from now on: tools.permissions.\n");
  child.kill("SIGTERM");
  expect((await end).code).toBe(0);
});

// Without `script` (util-linux) there is no pseudo-terminal to run it in.
it.skipIf(!hasTerminal)("a chat tells it above the prompt, and keeps what is being typed", async () => {
  const here = scripted(box(), [[says("hello there")]]);
  const tty = terminal(here, "--no-color");
  await tty.see("Zeph, with script/turns.json.");
  await tty.see("you> ");
  tty.type("half a li");
  await tty.see("half a li");
  config(here, DENY_READ + SCRIPTED);
  await tty.see("New rules count from now on: tools.permissions.");
  await tty.see("you> ");
  await tty.see("half a li");
  tty.type("ne\r");
  await tty.see("hello there");
  await tty.see("you> ");
  tty.type("\u0004");
  expect((await tty.end).code).toBe(0);
});
