import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { type Box, box, jsonLines } from "./zeph.ts";

const GOLDEN = fileURLToPath(new URL("golden/doctor-fresh.txt", import.meta.url));

/** What differs from one machine to the next stands as a word. */
const without = ({ root }: Box, text: string): string =>
  text
    .replaceAll(root, "ROOT")
    .replace(/^(ok {3}node +)v[\d.]+/m, "$1VERSION")
    .replace(/^(\w+ +git +)\/[^,]*/m, "$1PATH")
    .replace(/\([\d.]+ MB\)/g, "(SIZE)")
    .replace(/^(ok {3}walls +).*, (\d+) of \2 attempts stopped$/m, "$1WALLS")
    .replace(/\nWalls around commands:[\s\S]*/, "");

const findingsOf = async (here: Box, args: readonly string[] = [], env: Record<string, string> = {}) => {
  const { code, stdout } = await here.run([...args, "doctor", "--json"], { env });
  const [{ findings }] = jsonLines(stdout);
  const about = (name: string) =>
    findings
      .filter((one: { about: string }) => one.about === name)
      .map((one: { state: string; text: string }) => `${one.state} ${one.text}`);
  return { code, stdout, about };
};

describe("zeph doctor", () => {
  it.runIf(available)("says of a fresh home what is there, what is missing and what to do", async () => {
    const here = box();
    const { code, stdout } = await here.runProcess(["doctor"]);
    const shown = without(here, stdout);
    if (process.env.UPDATE === "1") writeFileSync(GOLDEN, shown);
    expect(shown).toBe(readFileSync(GOLDEN, "utf8"));
    expect(code).toBe(0);
  });

  it("names where keys come from and never shows one", async () => {
    const here = box();
    const file = join(here.env.XDG_CONFIG_HOME!, "zeph", "keys.toml");
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, 'GEMINI_API_KEY = "AIza-secret-one"\n');
    chmodSync(file, 0o600);
    const env = { OPENAI_API_KEY: "sk-secret-two", HTTPS_PROXY: "http://me:secret-three@127.0.0.1:1" };
    const { about, stdout } = await findingsOf(here, [], env);
    expect(about("key")).toEqual([`ok OPENAI_API_KEY from the environment, GEMINI_API_KEY from ${file}`]);
    expect(about("model")).toEqual([expect.stringMatching(/^ok openai\/.*not asked/)]);
    expect(about("network")[0]).toMatch(/^ok HTTPS_PROXY set; models through 127\.0\.0\.1:1; nobody was asked/);
    expect(stdout).not.toContain("secret");
    chmodSync(file, 0o644);
    const open = await findingsOf(here);
    expect([open.code, open.about("key")]).toEqual([5, [expect.stringMatching(/^fail .*chmod 600/s)]]);
  });

  it("tells a mistake in the configuration with its line, and goes on with the rest", async () => {
    const here = box();
    here.config('autonomy = "nonsense"\n');
    const { code, about } = await findingsOf(here);
    expect(code).toBe(5);
    expect(about("config")).toEqual([expect.stringMatching(/^fail .*config\.toml:1: .*autonomy/)]);
    expect(about("node")).toEqual([expect.stringMatching(/^ok v/)]);
  });

  it("knows a repository, who commits there, and whether the project is trusted", async () => {
    const here = box();
    const before = await findingsOf(here);
    expect(before.about("git")).toEqual([
      expect.stringMatching(/^warn .*in no repository/),
      "warn user.name and user.email not set: a commit would fail",
    ]);
    execFileSync("git", ["init", "-q"], { cwd: here.cwd });
    for (const [name, value] of [
      ["user.name", "A"],
      ["user.email", "a@b.example"],
    ])
      execFileSync("git", ["config", name!, value!], { cwd: here.cwd });
    here.write(".zeph/config.toml", 'autonomy = "full"\n');
    const after = await findingsOf(here);
    expect(after.about("git")).toEqual([expect.stringMatching(/^ok .*in a repository/)]);
    expect(after.about("trust")).toEqual([expect.stringMatching(/^warn .*1 of its settings do not count/)]);
  });

  it("says why the walls were not tried where a session cannot start, and does not fall over", async () => {
    const here = box();
    const { code, stdout } = await here.run(["--cwd", here.env.HOME!, "doctor"]);
    expect(code).toBe(5);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("fail walls not tried:");
  });

  it.skipIf(!hasTerminal)("looks at the terminal it runs in", async () => {
    const wide = terminal(box(), "--no-color doctor", { columns: 100 });
    await wide.end;
    expect(wide.text()).toMatch(/ok {3}terminal {2}TERM=xterm, 100 × 24, no colours, UTF-8/);
    const plain = terminal(box(), "--no-color doctor", { columns: 100, env: { LANG: "C" } });
    await plain.end;
    expect(plain.text()).toMatch(/warn terminal {2}TERM=xterm, 100 × 24, no colours, no UTF-8/);
  });
});
