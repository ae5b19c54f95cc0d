import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { box, jsonLines } from "./zeph.ts";

describe.runIf(available)("zeph call bash", () => {
  it("runs behind walls and says so; a command that exits non-zero is a result", async () => {
    const { runProcess } = box();
    const { code, stdout } = await runProcess(["call", "bash", '{"command":"echo out; echo err >&2; exit 3"}', "--json"]);
    expect(code).toBe(0);
    expect(jsonLines(stdout)[0]).toMatchObject({
      ok: true,
      exit_code: 3,
      sandbox: { backend: "bubblewrap", network: "closed" },
      text: "out\nerr\n[exit code 3]",
    });
  });
  it.each([
    ["sudo id", 3, "policy_blocked"],
    ["rm -rf old", 4, "confirmation_required"],
    ["no-such-program", 5, "permanent_failure"],
  ])("%s exits with %i", async (command, code, category) => {
    const { run } = box();
    const ended = await run(["call", "bash", JSON.stringify({ command }), "--json"]);
    expect([ended.code, jsonLines(ended.stdout)[0].error.category]).toEqual([code, category]);
  });
  it("prints nothing a terminal would obey", async () => {
    const { run } = box();
    const { stdout } = await run(["call", "bash", JSON.stringify({ command: "printf '\\033]0;pwn\\007\\033[2J'" })]);
    expect(stdout).not.toContain("\u001b");
  });
  it("--dry-run shows the diff and keeps nothing", async () => {
    const { run, write, cwd } = box();
    write("a.txt", "one\n");
    const { code, stdout } = await run(["call", "bash", '{"command":"echo two >> a.txt; rm -f b; touch c"}', "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/It would change 2 paths\. Nothing was kept\.[\s\S]*\+two/);
    expect(stdout).toContain("--- a/a.txt\n+++ b/a.txt\n");
    expect(existsSync(join(cwd, "c"))).toBe(false);
    expect((await run(["call", "bash", '{"command":"sudo id"}', "--dry-run"])).code).toBe(3);
  });
});

describe("zeph doctor", () => {
  it.runIf(available)("tries the walls and finds that they hold", async () => {
    const { run, runProcess } = box();
    const { code, stdout } = await runProcess(["doctor", "--json"]);
    const [found] = jsonLines(stdout);
    expect(found.canaries.filter(({ holds }: { holds: unknown }) => holds !== true)).toEqual([]);
    expect({ code, ok: found.ok, backend: found.walls.backend }).toEqual({ code: 0, ok: true, backend: "bubblewrap" });
    expect((await run(["doctor"])).stdout).toMatch(
      /(?:^|\n)Walls around commands: (?:zeph-run|bubblewrap) .*\n {2}(?:built by|bwrap is) .*; the commands of a session share one closed network\n\nWhat a command tries, and whether the walls stop it:\n {2}stopped/,
    );
  });
  it("says what is open when there are none, and how to get them", async () => {
    const { run } = box();
    const { code, stdout } = await run(["--set", "tools.sandbox.enabled=false", "doctor"]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^fail walls {5}none/m);
    expect(stdout).toMatch(/^Walls around commands: none/m);
    expect(stdout).toContain("NOT STOPPED");
    expect(stdout).toContain("What to do:");
  });
});
