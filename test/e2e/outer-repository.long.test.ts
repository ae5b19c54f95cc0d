import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { type Box, box, jsonLines } from "./zeph.ts";

/** A box whose command is started in a folder of a repository. */
function inFolder(): Box & { readonly top: string; readonly other: () => string } {
  const place = box();
  const top = place.cwd;
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@a.example", ...args], { cwd: top });
  place.write("app/a.txt", "a\n");
  place.write("lib/b.txt", "b\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "one");
  git("switch", "-qc", "other");
  place.write("lib/b.txt", "changed\n");
  git("commit", "-qam", "two");
  git("switch", "-q", "main");
  return { ...place, top, cwd: join(top, "app"), other: () => readFileSync(join(top, "lib/b.txt"), "utf8") };
}

const SWITCH = { command: "git switch -q other" };
const call = (here: ReturnType<typeof inFolder>, ...flags: string[]) =>
  here.runProcess(["--cwd", here.cwd, "call", "bash", JSON.stringify(SWITCH), "--json", ...flags]);

describe("In a folder of a repository", () => {
  it("git switch changes this folder alone where nobody can be asked, with --yes too, and the result says how to allow it", async ({
    skip,
  }) => {
    for (const flags of [[], ["--yes"]]) {
      const here = inFolder();
      const [answer] = jsonLines((await call(here, ...flags)).stdout);
      if (answer.sandbox?.backend !== "bubblewrap") skip("bubblewrap does not work here");
      expect(answer.text).toContain(`is part of the repository ${here.top}, and commands change this folder alone`);
      expect(answer.text).toContain('tools.sandbox.outer_repository = "whole"');
      expect(here.other()).toBe("b\n");
    }
  });

  it("git switch changes all of it where the person's own settings say so, and not where the project's do", async ({ skip }) => {
    const here = inFolder();
    here.write("app/.zeph/config.toml", '[tools.sandbox]\nouter_repository = "whole"\n');
    const [project] = jsonLines((await call(here)).stdout);
    if (project.sandbox && project.sandbox.backend !== "bubblewrap") skip("bubblewrap does not work here");
    expect(here.other()).toBe("b\n");
    const person = inFolder();
    person.config('[tools.sandbox]\nouter_repository = "whole"\n');
    expect((await call(person)).code).toBe(0);
    expect(person.other()).toBe("changed\n");
  });

  it.skipIf(!hasTerminal)("git switch in a chat asks once, and a yes lets it change all of it", async () => {
    const here = inFolder();
    here.write(
      "app/turns.json",
      JSON.stringify([[calls("bash", SWITCH)], [calls("bash", { command: "git switch -q main" })], [says("Done.")]]),
    );
    here.config('[[llm.providers]]\nname = "script"\ntype = "script"\nmodel = "turns.json"\n');
    const tty = terminal(here, "--no-color", { columns: 200 });
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see("This folder is part of the repository");
    await tty.see("Allow it? [y]es, [H]ere:");
    tty.type("yes\r");
    await tty.see("Done.");
    await tty.see("you> ");
    expect(tty.text().match(/Allow it\?/g)).toHaveLength(1);
    expect(tty.text()).not.toContain("Read-only");
    tty.type("\u0004");
    expect((await tty.end).code).toBe(0);
  });
});
