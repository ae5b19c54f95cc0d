import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { standingOf } from "./ask-client-rules.ts";
import { createClientFiles } from "./client-files.ts";

const base = mkdtempSync(join(tmpdir(), "zeph-standing-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
function standing(client: "copilot" | "pi", words: readonly string[], command: string, file?: readonly [string, string], env = {}) {
  const root = join(base, String(count++));
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, cwd]) mkdirSync(folder, { recursive: true });
  if (file) {
    mkdirSync(dirname(join(root, file[0])), { recursive: true });
    writeFileSync(join(root, file[0]), file[1]);
  }
  const call = { cwd, session: "s", callId: "c", tool: "", args: {} };
  return standingOf(client, { call, home, system: root, env, words, files: createClientFiles() }, command);
}

describe("The rules of copilot", () => {
  it.each<[readonly string[], string, string]>([
    [[], "git push", "unruled"],
    [["--deny-tool", "shell(git push)"], "git push origin", "deny"],
    [["--deny-tool", "shell(git push)"], "git status", "unruled"],
    [["--deny-tool=shell(git:*)", "--allow-tool", "shell"], "git status", "deny"],
    [["--deny-tool", "write", "shell(rm)", "--model", "x"], "rm a", "deny"],
    [["--excluded-tools", "bash"], "ls", "deny"],
    [["--deny-tool", "write"], "ls", "unruled"],
    [["--allow-tool", "shell(ls), shell(git status)"], "git status", "allow"],
    [["--allow-tool", "*"], "ls", "allow"],
    [["--allow-tool", "shell(ls)"], "ls; rm a", "unruled"],
  ])("%j, %s: %s", (words, command, verdict) => expect(standing("copilot", words, command).verdict).toBe(verdict));

  it.each(["home/.copilot/config.json", "work/.github/copilot/settings.local.json"])("in %s are its own to read", (path) => {
    const said = standing("copilot", ["--allow-tool", "shell"], "ls", [path, '{"denied":["x"]}']);
    expect(said).toMatchObject({ verdict: "unsure", why: expect.stringContaining(path) });
    expect(standing("copilot", ["--allow-tool", "shell"], "ls", [path, "{}"]).verdict).toBe("allow");
    expect(standing("copilot", ["--deny-tool", "shell"], "ls", [path, '{"denied":["x"]}']).verdict).toBe("deny");
  });

  it("ask nobody where it was started so", () => {
    const asks = [[], ["--yolo"], ["--allow-all-tools"]].map((words) => standing("copilot", words, "ls").promptsNobody);
    expect([...asks, standing("copilot", [], "ls", undefined, { COPILOT_ALLOW_ALL: "true" }).promptsNobody]).toEqual([
      ...[false, true, true, true],
    ]);
  });
});

it("pi has no rules and asks nobody", () =>
  expect(standing("pi", [], "rm -r x")).toEqual({ verdict: "unruled", why: null, promptsNobody: true }));
