import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claudeBash, type HookdBox, LAUNCHER, openHookdBox } from "./hookd-box.ts";

let box: HookdBox;
let config: string;
beforeAll(async () => {
  box = openHookdBox();
  config = join(box.env.HOME!, ".config/zeph/config.toml");
  mkdirSync(join(box.env.HOME!, ".config/zeph"), { recursive: true });
  writeFileSync(join(box.work, "secret.txt"), "the secret\n");
  await box.warm();
});
afterAll(() => box.remove());

const verdict = async (command: string): Promise<string> => {
  const { stdout } = await box.run([LAUNCHER, "claude", "pre"], { stdin: claudeBash(command, box.work) });
  return stdout === "" ? "silent" : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
};

it("a setting that only counts from a start is in force at the next call, for hooks and for zeph exec", async () => {
  expect(await verdict("cat secret.txt")).toBe("silent");
  writeFileSync(config, '[tools.file]\ndeny_read = ["**/secret.txt"]\n');
  expect(await verdict("cat secret.txt")).toBe("deny");
  const { stdout } = await box.run([LAUNCHER, "exec", "--", "cat secret.txt"]);
  expect(stdout).not.toContain("the secret");
  expect((await box.hello())!.workspaces).toBe(1);
});

it("rules of a file that is gone are gone", async () => {
  writeFileSync(config, '[tools.file]\ndeny_read = ["**/secret.txt"]\n[tools.shell]\nblocked_commands = ["uname"]\n');
  expect([await verdict("uname"), await verdict("cat secret.txt")]).toEqual(["deny", "deny"]);
  rmSync(config);
  expect([await verdict("uname"), await verdict("cat secret.txt")]).toEqual(["silent", "silent"]);
});

it("a live rule counts at the very next call", async () => {
  for (const name of ["uname", "whoami", "uname"]) {
    writeFileSync(config, `[tools.shell]\nblocked_commands = ["${name}"]\n`);
    expect(await verdict(name)).toBe("deny");
    expect(await verdict(name === "uname" ? "whoami" : "uname")).toBe("silent");
  }
});

it("a command that runs while settings change ends by itself", async () => {
  const child = box.start([LAUNCHER, "exec", "--", "echo ready; read line; echo got $line"]);
  let said = "";
  let judged = "";
  const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
  for await (const chunk of child.stdout!) {
    said += chunk;
    if (said !== "ready\n") continue;
    writeFileSync(config, '[tools.file]\ndeny_read = ["**/secret.txt"]\n');
    judged = await verdict("cat secret.txt");
    child.stdin!.end("on\n");
  }
  expect([judged, said, await ended]).toEqual(["deny", "ready\ngot on\n", 0]);
});
