import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Box, box, jsonLines } from "./zeph.ts";

/** A folder nobody may write to has no walls: what a command could do there could not be told from what the walls forbid. */
function openFolder(): Box {
  const made = box();
  chmodSync(made.cwd, 0o555);
  return made;
}

const HELLO = ["call", "bash", '{"command":"echo hello"}'];
const WARNING = /warning: bash runs without walls/;
const audit = ({ env }: Box) => jsonLines(readFileSync(join(env.XDG_STATE_HOME!, "zeph", "audit.jsonl"), "utf8"));
const lastCall = (place: Box) => audit(place).findLast(({ kind }) => kind === "call");

describe("Where no walls stand", () => {
  it.each([
    ["nothing", []],
    ["--yes", ["--yes"]],
  ])("%s does not run a command", async (_what, flags) => {
    const place = openFolder();
    const { code, stdout, stderr } = await place.run([...HELLO, "--json", ...flags]);
    expect(code).toBe(4);
    expect(jsonLines(stdout)[0]).toMatchObject({ ok: false, decision: { verdict: "ask", gate: "walls" } });
    expect(stderr).not.toMatch(WARNING);
    const text = await place.runProcess([...HELLO, ...flags]);
    expect(text.stdout).not.toContain("hello");
    expect(text.stderr).toContain("--without-walls");
  });

  it.each([
    ["--without-walls", ["--without-walls"], "--without-walls"],
    ["--yes --without-walls", ["--yes", "--without-walls"], "--without-walls"],
  ])("%s does, and it is said each time", async (_what, flags, by) => {
    const place = openFolder();
    for (const _ of [1, 2]) {
      const { code, stdout, stderr } = await place.run([...HELLO, "--json", ...flags]);
      expect(code).toBe(0);
      expect(jsonLines(stdout)[0]).toMatchObject({
        ok: true,
        without_walls: true,
        sandbox: { backend: "none", reason: expect.any(String) },
      });
      expect(stderr).toMatch(WARNING);
    }
    expect(lastCall(place)).toMatchObject({ outcome: "ok", without_walls: expect.any(String), approved_by: by });
  });

  it("a question about more than walls needs --yes too", async () => {
    const place = openFolder();
    const call = ["call", "bash", '{"command":"chmod -R 700 ."}', "--json"];
    expect((await place.run([...call, "--without-walls"])).code).toBe(4);
    expect((await place.run([...call, "--yes"])).code).toBe(4);
    expect((await place.run([...call, "--yes", "--without-walls"])).code).toBe(0);
    expect(lastCall(place)).toMatchObject({ approved_by: "--yes --without-walls" });
  });

  it.each([
    ["noop", "tools.sandbox.fallback=noop"],
    ["switched off", "tools.sandbox.enabled=false"],
  ])("the sandbox %s runs each command with a warning", async (_what, setting) => {
    const place = openFolder();
    const lines = [1, 2].map((id) => JSON.stringify({ id, tool: "bash", args: { command: "echo hello" } })).join("\n");
    const { code, stdout, stderr } = await place.run(["--set", setting, "call", "--batch", "--yes"], { input: lines });
    expect(code).toBe(0);
    for (const answer of jsonLines(stdout)) expect(answer).toMatchObject({ ok: true, without_walls: true });
    expect(stderr.match(new RegExp(WARNING, "g"))).toHaveLength(2);
    const background = ["--set", setting, "call", "bash", '{"command":"echo hello","background":true}', "--yes", "--json"];
    const started = await place.run(background);
    expect(started.stderr).toMatch(WARNING);
    expect(jsonLines(started.stdout)[0]).toMatchObject({ ok: true, without_walls: true });
  });

  it("--without-walls lifts no denial", async () => {
    const place = openFolder();
    const ended = await place.run(["--set", "tools.sandbox.fallback=deny", ...HELLO, "--yes", "--without-walls"]);
    expect(ended.code).toBe(3);
  });
});

it("Behind walls nothing warns, and what they probably forbade is in the answer and the audit log", async ({ skip }) => {
  const place = box();
  const command = `node -e "require('fs').writeFileSync('/usr/x', '')"`;
  const { stdout, stderr } = await place.runProcess(["call", "bash", JSON.stringify({ command }), "--json", "--yes"]);
  const [answer] = jsonLines(stdout);
  if (answer.sandbox?.backend !== "bubblewrap") skip("bubblewrap does not work here");
  expect(stderr).not.toMatch(/without walls/);
  expect(answer.without_walls).toBeUndefined();
  expect(answer.hint).toMatch(/^Perhaps a wall: .*allow_write/);
  expect(lastCall(place)).toMatchObject({ hint: answer.hint });
});
