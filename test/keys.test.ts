import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConfigInput } from "../src/core/inputs/config-input.ts";
import { createRuntime, type Outcome } from "../src/index.ts";

// A workspace that holds the person's own configuration: the worst place to start in.
const home = realpathSync(mkdtempSync(join(tmpdir(), "zeph-keys-")));
const file = join(home, ".config", "zeph", "keys.toml");
const secret = "correct horse battery";
const before = { ...process.env };

beforeAll(() => {
  mkdirSync(join(home, ".config", "zeph"), { recursive: true });
  writeFileSync(file, `OWN = "${secret}"\n`);
  chmodSync(file, 0o600);
  Object.assign(process.env, { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), XDG_STATE_HOME: join(home, "state") });
});
afterAll(() => {
  for (const name of ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"])
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  rmSync(home, { recursive: true, force: true });
});

const everything = (outcome: Outcome) => JSON.stringify(outcome) + (outcome.ok ? "" : outcome.error.message);

describe("the file with keys", () => {
  it.each<[string, object]>([
    ["read", { path: ".config/zeph/keys.toml" }],
    ["read", { path: join(home, ".config/zeph/../zeph/keys.toml") }],
    ["grep", { pattern: "horse", path: ".config" }],
    ["edit", { path: ".config/zeph/keys.toml", old_string: "OWN", new_string: "X" }],
    ["write", { path: ".config/zeph/keys.toml", content: "" }],
    ["copy_path", { source: ".config/zeph/keys.toml", destination: "copy.toml" }],
    ["copy_path", { source: ".config", destination: "copy" }],
    ["move_path", { source: ".config/zeph", destination: "moved" }],
    ["delete_path", { path: ".config/zeph/keys.toml" }],
    ["bash", { command: "cat .config/zeph/keys.toml" }],
    ["bash", { command: "cat copy.toml copy/zeph/keys.toml moved/keys.toml" }],
  ])("is closed to %s %j", async (tool, args) => {
    const config = { tools: { sandbox: { allow_read: [home] } }, autonomy: "full" };
    const zeph = await createRuntime({ cwd: home, config: config as ConfigInput, store: join(home, "z.db"), confirm: () => "once" });
    const outcome = await zeph.call(tool, args);
    expect(everything(outcome)).not.toContain(secret);
    const again = await zeph.call("grep", { pattern: "correct", path: "." });
    expect(everything(again)).not.toContain(secret);
    await zeph.close();
  });

  it("does not make every search say that something was left out", async () => {
    const work = join(home, "work");
    mkdirSync(work, { recursive: true });
    writeFileSync(join(work, "a.txt"), "hello\n");
    const zeph = await createRuntime({ cwd: work, config: {}, store: join(home, "z.db") });
    const outcome = await zeph.call("grep", { pattern: "nothing like it" });
    expect(outcome.ok && outcome.output.text).not.toContain("may not be read");
    await zeph.close();
  });
});
