import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../src/config/load.ts";
import type { ZephEvent } from "../src/index.ts";
import { type Workspace, workspace } from "./workspace.ts";

let place: Workspace;
beforeEach(() => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
});
afterEach(() => place.remove());

async function writing(hooks: object) {
  const warnings: string[] = [];
  const zeph = await place.runtime({
    config: {
      audit: { path: join(place.state, "audit.jsonl") },
      tools: { permissions: { write: [{ pattern: "*", action: "allow" }] } },
      hooks,
    },
    onEvent: (event: ZephEvent) => void (event.type === "warning" && warnings.push(event.message)),
  });
  const outcome = await zeph.call("write", { path: "b.txt", content: "b" });
  await zeph.close();
  return { outcome, warnings, written: existsSync(join(place.work, "b.txt")) };
}

describe("A pre_tool hook that fails denies the call", () => {
  it.each([
    ["a missing file", { command: "./no-such-hook" }],
    ["a time limit", { command: "sleep 9", timeout_ms: 50 }],
    ["a crash", { command: "kill -9 $$" }],
  ])("by %s", async (_what, hook) => {
    const { outcome, written } = await writing({ pre_tool: [hook] });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" }, decision: { verdict: "deny", gate: "hooks" } });
    expect(written).toBe(false);
  });
  it("unless it is set to warn", async () => {
    const { outcome, warnings } = await writing({ pre_tool: [{ command: "./no-such-hook", on_error: "warn" }] });
    expect([outcome.ok, warnings.length]).toEqual([true, 1]);
  });
});

describe("A hook that is told afterwards", () => {
  it.each(["post_tool", "file_changed"])("keeps the result back when %s fails and is set to deny", async (event) => {
    const { outcome, written } = await writing({ [event]: [{ command: "exit 1", on_error: "deny" }] });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" }, decision: { verdict: "allow" } });
    expect(outcome.output).toBeUndefined();
    expect(written).toBe(true);
    expect(place.audit()).toContain("kept back");
  });
  it.each(["post_tool", "file_changed"])("only warns when %s fails", async (event) => {
    const { outcome, warnings } = await writing({ [event]: [{ command: "exit 1" }] });
    expect([outcome.ok, warnings.length]).toEqual([true, 1]);
  });
});

it("A hook's match that is no glob is found when the configuration is read", () => {
  expect(() => parseConfig({ hooks: { pre_tool: [{ command: "true", match: "{a,b" }] } })).toThrow(/glob/);
});
