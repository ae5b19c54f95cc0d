import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SLOW_PATTERN, slowText } from "./slow-search.ts";
import { type Box, box, jsonLines } from "./zeph.ts";

function pipe(place: Box, name: string): void {
  const path = join(place.cwd, name);
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("mkfifo", [path]);
}
const ALLOW = `[[tools.permissions.bash]]\npattern = "*"\naction = "allow"\n`;

describe("a named pipe where Zeph reads a file", () => {
  // Several in one folder, where one is not in the way of another.
  it.each([
    [["sub/.git", ".git"], []],
    [["sub/.git/config", ".git/config"], [".git/HEAD"]],
    [
      ["sub/.git/commondir", ".git/commondir"],
      [".git/HEAD", "sub/.git/HEAD"],
    ],
    [[".zeph/skills/x/SKILL.md", ".claude/skills/x/SKILL.md", "package.json", ".gitignore", "sub/.gitignore"], []],
  ])("does not hold up commands, searches or checks: %j", async (names, files) => {
    const place = box();
    place.config(ALLOW);
    for (const file of files) place.write(file, "ref: refs/heads/main\n");
    place.write("a.txt", "needle\n");
    for (const name of names) pipe(place, name);
    // A process of its own: whoever waits for the pipe would never come back to the test.
    const calls = [
      { id: 1, tool: "bash", args: { command: "echo done" } },
      { id: 2, tool: "grep", args: { pattern: "needle" } },
      { id: 3, tool: "diagnostics", args: {} },
    ];
    const { code, stdout } = await place.runProcess(["call", "--batch"], {
      input: calls.map((one) => `${JSON.stringify(one)}\n`).join(""),
    });
    expect(code).not.toBeNull();
    const answers = jsonLines(stdout);
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(answers[0].text).toContain("done");
    expect(answers[1].text).toContain("a.txt");
  });

  it("is named when it should be a file of settings", async () => {
    const place = box();
    pipe(place, ".zeph/config.toml");
    const { code, stderr } = await place.runProcess(["call", "read", '{"path":"x"}', "--json"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("not a regular file")]);
  });
});

it("A project's configuration that leads out of the project is refused, and shows nothing of what it leads to", async () => {
  for (const folder of [false, true]) {
    const place = box();
    const secret = join(place.root, "secret");
    mkdirSync(secret);
    writeFileSync(join(secret, "config.toml"), "root:x:0:0 a line of somebody else\n");
    if (folder) symlinkSync(secret, join(place.cwd, ".zeph"));
    else {
      mkdirSync(join(place.cwd, ".zeph"));
      symlinkSync(join(secret, "config.toml"), join(place.cwd, ".zeph/config.toml"));
    }
    for (const args of [["call", "read", '{"path":"x"}'], ["config", "explain"], ["trust"], ["--migrate-config"]]) {
      const { stdout, stderr } = await place.run(args);
      expect(stdout + stderr).not.toContain("root:x");
      expect(stderr).toContain("leads out of");
    }
    const { stderr } = await place.run(["init", "--project", "--force"]);
    expect(stderr).toContain("leads out of");
    expect(readFileSync(join(secret, "config.toml"), "utf8")).toContain("root:x");
    expect(readdirSync(secret)).toEqual(["config.toml"]);
  }
});

/** Processes of the search engine that work in this folder. */
function engines(place: Box): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && /\0(?:\S*\/)?rg\0|\/rg\0/.test(readFileSync(`/proc/${pid}/cmdline`, "latin1")) && cwdOf(pid) === place.cwd
      );
    } catch {
      return false;
    }
  });
}
const cwdOf = (pid: string) => readlinkSync(`/proc/${pid}/cwd`);

it.runIf(process.platform === "linux")("A search dies with a Zeph that is killed, and with one that is ended", async () => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    const place = box();
    place.write("big.txt", slowText());
    const child = place.start(["call", "grep", JSON.stringify({ pattern: SLOW_PATTERN })]);
    let seen: string[] = [];
    for (; seen.length === 0 && child.exitCode === null; await pause(10)) seen = engines(place);
    expect(seen).not.toEqual([]);
    child.kill(signal);
    await once(child, "exit");
    await expect.poll(() => engines(place)).toEqual([]);
  }
});
