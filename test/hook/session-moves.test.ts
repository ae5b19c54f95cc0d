import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claudeBash, type HookdBox, LAUNCHER, openHookdBox } from "./hookd-box.ts";

let box: HookdBox;
let other: string;
beforeAll(async () => {
  box = openHookdBox();
  other = join(box.work, "../other");
  for (const [folder, command] of [
    [box.work, "terraform"],
    [other, "uname"],
  ] as const) {
    mkdirSync(join(folder, ".zeph"), { recursive: true });
    writeFileSync(join(folder, ".zeph/config.toml"), `[tools.shell]\nblocked_commands = ["${command}"]\n`);
  }
  await box.warm();
});
afterAll(() => box.remove());

const verdict = async (command: string, cwd: string): Promise<string> => {
  const { stdout } = await box.run([LAUNCHER, "claude", "pre"], { stdin: claudeBash(command, cwd), cwd });
  return stdout === "" ? "silent" : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
};

it("a session that goes to another folder is judged by the rules of both", async () => {
  expect([await verdict("terraform apply", box.work), await verdict("uname", box.work)]).toEqual(["deny", "silent"]);
  for (const _time of [1, 2]) expect([await verdict("terraform apply", other), await verdict("uname", other)]).toEqual(["deny", "deny"]);
  expect(await verdict("whoami", other)).toBe("silent");
  expect(await verdict("uname", box.work)).toBe("silent");
});
