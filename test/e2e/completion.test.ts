import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { completionFor } from "../../src/front/cli/program/completion.ts";

const isThere = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

describe("The completion for bash, sourced by bash", () => {
  const offered = (...words: string[]) =>
    execFileSync(
      "bash",
      [
        "-c",
        'eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _zeph; printf "%s\\n" "${COMPREPLY[@]}"',
        "-",
        completionFor("bash"),
        "zeph",
        ...words,
      ],
      { encoding: "utf8" },
    )
      .trim()
      .split("\n");

  it.each<[string[], string[]]>([
    [["po"], ["policy"]],
    [["--cwd", "run", "me"], ["memory"]],
    [["policy", "re"], ["replay"]],
    [["policy", "check", "--ph"], ["--phase"]],
    [["policy", "check", "--phase", "p"], ["planner"]],
    [["audit", "--fol"], ["--follow"]],
    [
      ["mcp", "add", "x", "--trust", ""],
      ["untrusted", "provisional", "trusted"],
    ],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["help", "sess"], ["sessions"]],
  ])("offers for %j: %j", (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  it.each([[["--config", ""]], [["policy", "replay", "--audit", ""]], [["policy", "test", "x"]], [["filter", "--", "npm", "t"]]])(
    "offers nothing of its own for %j, so that bash completes files",
    (words) => {
      expect(offered(...words)).toEqual([""]);
    },
  );
});

describe.skipIf(!isThere("zsh"))("The completion for zsh, sourced by zsh", () => {
  it("is the one that zsh asks about zeph", () => {
    const asked = 'autoload -Uz compinit; compinit -u -D; eval "$1"; print -r -- $_comps[zeph]; whence -w _zeph';
    expect(execFileSync("zsh", ["-f", "-c", asked, "-", completionFor("zsh")], { encoding: "utf8" })).toBe("_zeph\n_zeph: function\n");
  });
});

describe.skipIf(!isThere("fish"))("The completion for fish, sourced by fish", () => {
  const offered = (line: string) =>
    execFileSync("fish", ["--no-config", "-c", "echo $argv[1] | source; complete -C $argv[2]", completionFor("fish"), line], {
      encoding: "utf8",
    })
      .trim()
      .split("\n")
      .map((row) => row.split("\t")[0]);

  it.each<[string, string[]]>([
    ["zeph po", ["policy"]],
    ["zeph policy re", ["replay"]],
    ["zeph policy check --phase p", ["planner"]],
    ["zeph mcp add x --trust ", ["provisional", "trusted", "untrusted"]],
    ["zeph audit --fol", ["--follow"]],
  ])("offers for %j: %j", (line, expected) => {
    expect(offered(line).sort()).toEqual(expected);
  });
});

it("A shell without a completion is refused with the shells that have one", () => {
  expect(() => completionFor("tcsh")).toThrow('There is no completion for "tcsh". There is bash, zsh, fish.');
  expect(() => completionFor(undefined)).toThrow("zeph completion bash|zsh|fish");
});
