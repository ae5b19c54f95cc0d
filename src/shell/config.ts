import * as z from "zod";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";

/**
 * What is asked about when no rule for bash exists. The first is `rm` but for single files of the workspace that are kept before they go, and
 * the last is no command: it means every file it would write elsewhere.
 */
export const DEFAULT_CONFIRM_PATTERNS: readonly string[] = [
  "rm",
  "git push --force",
  "git reset --hard",
  "git clean",
  "truncate",
  "drop table",
  "drop database",
  "chmod -R",
  "chown -R",
  "writes outside the workspace",
];

/** The keys of `[tools.shell]` that decide what a command may be. */
export const commandSettings = makeOnce(() => ({
  blocked_commands: setting(
    z.array(z.string().trim().min(1)).default([]),
    "Commands that are never run. One word is a program, several are a program with these words first (`npm publish`); words may be globs. They are found at any depth of a command.",
    "adds",
  ),
  confirm_patterns: setting(
    z.array(z.string().trim().min(1)).default([...DEFAULT_CONFIRM_PATTERNS]),
    "Commands that need a yes when there are no rules for bash, written like `blocked_commands`. `drop table`, `drop database` and `writes outside the workspace` are recognised as such; behind walls `rm` leaves out single files of the workspace that are kept before they go, and `rm *` is every rm.",
    "adds",
  ),
  constructs: setting(
    z.enum(["auto", "block", "ask", "allow"]).default("auto"),
    "What happens to `$(…)`, backticks, `<(…)`, `>(…)`, `<<<`, `eval`, `source` and `.`. `auto` looks into them behind working walls and refuses them elsewhere; `block` always refuses, `ask` always asks, `allow` only looks into them.",
    ["allow", "ask", "auto", "block"],
  ),
}));
