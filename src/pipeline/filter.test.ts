import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { workspace } from "../../test/workspace.ts";

// In two pieces, so that nobody takes it for a real one.
const TOKEN = `gh${"p_"}${"a1B2".repeat(9)}`;
const allow = [{ pattern: "*", action: "allow" }];
const RULE = `[[rules]]\nname = "noise"\nmatch = { prefix = "sh noisy.sh" }\nstrategy = { type = "strip_noise", patterns = ["^noise"] }\n`;
const spaces: ReturnType<typeof workspace>[] = [];
afterEach(() => {
  for (const space of spaces.splice(0)) space.remove();
});

async function start(filters: object = {}) {
  const space = workspace([
    { op: "file", path: "work/noisy.sh", content: 'for n in 1 2 3 4 5 6 7 8 9; do echo "noise number $n"; done; echo fact' },
    { op: "file", path: "work/.env", content: `GITHUB_TOKEN=${TOKEN}\nPORT=8080\n` },
  ]);
  spaces.push(space);
  const permissions = { bash: allow, write: allow, edit: allow };
  const zeph = await space.runtime({
    config: { audit: { path: join(space.state, "audit.jsonl") }, tools: { permissions, filters: { rules_toml: RULE, ...filters } } },
  });
  const call = async (tool: string, args: object) => {
    const outcome = await zeph.call(tool, args);
    return { text: outcome.ok ? outcome.output.text : outcome.error.message, output: outcome.output, all: JSON.stringify(outcome) };
  };
  return { ...space, zeph, call };
}

describe("what reaches the model", () => {
  it("is shortened, counted and marked", async () => {
    const { call, zeph } = await start();
    const { text, output } = await call("bash", { command: "sh noisy.sh" });
    expect(text).toMatch(/^fact\n\[-9 lines raw#1 \w+\]$/);
    expect(output!.filter).toMatchObject({ rule: "noise", confidence: "Full", rawLines: 10, lines: 1 });
    expect(output).not.toHaveProperty("parts");
    expect(zeph.stats().filter).toMatchObject({ commands: 1, filtered: 1, confidence: { Full: 1, Partial: 0, Fallback: 0 } });
    await zeph.close();
  });

  it("comes back raw when the same command is run again with nothing written between", async () => {
    const { call, zeph } = await start();
    const run = async () => (await call("bash", { command: "sh noisy.sh" })).text.includes("noise number 5");
    await zeph.turn(async () => {
      expect(await run()).toBe(false);
      await call("read", { path: ".env" });
      expect(await run()).toBe(true);
      await call("write", { path: "x.txt", content: "x" });
      expect(await run()).toBe(false);
    });
    await zeph.turn(async () => {
      expect(await run()).toBe(false);
    });
    await zeph.close();
  });

  it("keeps what the runtime says about the end of a command", async () => {
    const { call, zeph } = await start();
    expect((await call("bash", { command: "sh noisy.sh; exit 3" })).text).toContain("[exit code 3]");
    await zeph.close();
  });

  it("is as it was printed when filters are off", async () => {
    const { call, zeph } = await start({ enabled: false });
    expect((await call("bash", { command: "sh noisy.sh" })).text).toContain("noise number 5");
    await zeph.close();
  });
});

describe("a secret", () => {
  it("is shown by no tool, not in text, data, diff or error, and is warned of", async () => {
    const { call, zeph, work } = await start();
    const seen = [
      await call("bash", { command: "cat .env" }),
      await call("bash", { command: `echo 'export GITHUB_TOKEN=${TOKEN}' >&2; exit 127` }),
      await call("read", { path: ".env" }),
      await call("grep", { pattern: "TOKEN", path: "." }),
      await call("write", { path: "b.env", content: `GITHUB_TOKEN=${TOKEN}\n` }),
      await call("edit", { path: "b.env", old_string: "GITHUB", new_string: "GH" }),
      await call("read", { path: `${TOKEN}.txt` }),
    ];
    for (const { all } of seen) expect(all).not.toContain(TOKEN);
    expect(seen[0]!.text).toMatch(/GITHUB_TOKEN=\[redacted:[a-z-]+\]\nPORT=8080\n.*redacted/);
    expect(seen[2]!.text).toContain("PORT=8080");
    // What was written is what was asked for.
    writeFileSync(join(work, "probe"), "");
    expect((await call("bash", { command: "wc -c < b.env" })).text.trim()).toBe(String(`GH_TOKEN=${TOKEN}\n`.length));
    await zeph.close();
  });

  it("is in no line of the audit log, whatever is switched off", async () => {
    const { call, zeph, audit } = await start({ security: { enabled: false } });
    const { text } = await call("bash", { command: `echo "token=${TOKEN}"` });
    expect(text).toContain(TOKEN);
    await call("read", { path: `${TOKEN}.txt` });
    await zeph.close();
    expect(audit()).toContain("[redacted:");
    expect(audit()).not.toContain(TOKEN);
  });
});
