import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { HOOK_CLIENTS } from "../../src/hook/find-client.ts";
import { CLIENT_PLANS } from "../../src/hook/install/client-plans.ts";
import { type Box, box, ended, jsonLines } from "./zeph.ts";

const STAND_IN = resolve("test/hook/stand-in-agent.mjs");
const TESTED = HOOK_CLIENTS.claude.tested!;

/** A person who has an agent and keys, and a folder for temporary files in which something that stays behind is seen. */
function person(how = "good", version = TESTED) {
  const place = box();
  const temporary = join(place.root, "tmp");
  const log = join(place.root, "starts.jsonl");
  mkdirSync(temporary);
  mkdirSync(join(place.root, "bin"));
  const program = join(place.root, "bin/claude");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${STAND_IN}' '${log}' ${how} ${version} "$@"\n`);
  chmodSync(program, 0o755);
  const env = {
    PATH: `${join(place.root, "bin")}:${place.env.PATH}`,
    TMPDIR: temporary,
    ANTHROPIC_API_KEY: "sk-ant-the-persons-own",
    CLAUDE_CONFIG_DIR: "",
  };
  const live = (...words: string[]) => place.runProcess(["hook", "test", "claude", "--live", ...words], { env });
  const install = (...words: string[]) => place.run(["hook", "install", "claude", "--yes", ...words]);
  const starts = () => jsonLines(readFileSync(log, "utf8")) as { pid: number; words: string[]; env: Record<string, string> }[];
  return { place, env, temporary, program, log, live, install, starts };
}
const settingsOf = ({ env }: Box) => join(env.HOME!, CLIENT_PLANS.claude.files.user!);

describe("zeph hook test --live", () => {
  it("an agent that does as its hooks say is shown to do so, and nothing of the person is given to it", async () => {
    const { place, live, install, starts, temporary } = person();
    writeFileSync(place.write(settingsOf(place), ""), '{"model":"the-persons-own"}\n');
    await install();
    const before = readFileSync(settingsOf(place), "utf8");
    const { code, stdout } = await live();
    expect(stdout.split("\n").slice(1)).toEqual([
      "ok     a call that a rule denies: it was not run, and the model read why",
      "ok     a call that the rules allow: it ran",
      "ok     a hook that crashes: the call was not made, and the model read why",
      "ok     a hook whose program is gone: the call was not made, and the model read why",
      "",
    ]);
    expect(code).toBe(0);
    expect(starts()).toHaveLength(3);
    for (const { env } of starts()) {
      expect(env.HOME).toMatch(/zeph-live-\w+\/home$/);
      expect(JSON.stringify(env)).not.toContain("the-persons-own");
      expect(JSON.stringify(env)).not.toContain(place.env.HOME);
    }
    expect(readFileSync(settingsOf(place), "utf8")).toBe(before);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("an agent that asks no hook is found out", async () => {
    const { live, install } = person("deaf");
    await install();
    const { code, stdout } = await live("--json");
    expect(code).toBe(5);
    const { trials, version_tested: isTested, mode } = JSON.parse(stdout);
    expect({ isTested, mode }).toEqual({ isTested: true, mode: "guard" });
    expect(trials.map(({ ok, saw }: { ok: boolean; saw: string }) => [ok, saw])).toEqual([
      [false, "it ran"],
      [true, "it ran"],
      [false, "the call was made"],
      [false, "the call was made"],
    ]);
  });

  it("hooks that let calls run where Zeph does not answer are shown to do that", async () => {
    const { live, install } = person();
    await install("--on-failure", "allow");
    const { code, stdout } = await live();
    expect(stdout).toContain("ok     a hook that crashes: the call was made, which is what --on-failure allow wants");
    expect(stdout).toContain("ok     a call that a rule denies: it was not run, and the model read why");
    expect(code).toBe(0);
  });

  it("another version than the one that was tried is told, and tried all the same", async () => {
    const { live, install } = person("good", "9.9.9");
    await install();
    const end = await live();
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining(`is of version 9.9.9; ${TESTED} was tried with Zeph`) });
  });

  it("an agent that is not there, hooks that are not there and hooks that somebody changed are told in words", async () => {
    const { place, live, install, program, env } = person();
    expect((await live()).stderr).toContain("zeph hook install claude writes it");
    await install();
    const words = ["hook", "test", "claude", "--live"];
    const nowhere = await place.run(words);
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toContain("claude is not on PATH, so there is nothing to start. Install it, or say where it lies: --program");
    expect((await place.run([...words, "--program", "nothing"])).stderr).toContain("is no program that can be started");
    expect((await place.run(["hook", "test", "claude", "--program", program])).stderr).toContain("--program is for --live");
    expect((await place.run(["hook", "test", "cursor", "--live"], { env })).stderr).toContain(
      "Nobody has tried cursor with a scripted model",
    );
    writeFileSync(settingsOf(place), readFileSync(settingsOf(place), "utf8").replace('"timeout": 60', '"timeout": 1'));
    const changed = await live();
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain("the hook at PreToolUse is gone, or not as Zeph wrote it");
  });

  it("Ctrl-C ends the agent and takes its home away", async () => {
    const { place, env, install, log, starts, temporary } = person("stuck");
    await install();
    const child = place.start(["hook", "test", "claude", "--live"], env);
    const started = () => existsSync(log) && starts().some(({ words }) => words[0] === "-p");
    await expect.poll(started).toBe(true);
    child.kill("SIGINT");
    const { code } = await ended(child);
    expect(code).toBe(130);
    const { pid } = starts().find(({ words }) => words[0] === "-p")!;
    expect(() => process.kill(pid, 0)).toThrow();
    expect(readdirSync(temporary)).toEqual([]);
  });
});
