import * as z from "zod";
import { setting } from "../../core/setting.ts";
import { makeOnce } from "../../text/make-once.ts";

/** The part of `[tools.shell]` that says how commands run. What they may be is said in `shell/config.ts`. */
export const shellRunConfig = makeOnce(() => ({
  timeout: setting(
    z.number().min(0.1).max(86_400).default(120),
    "Seconds a command may take. Then all its processes are killed and it fails with exit code 124.",
    "smaller",
  ),
  max_timeout: setting(
    z.number().min(0.1).max(86_400).default(600),
    "Most seconds that a call of bash may ask for with its argument `timeout`. Where `timeout` above is larger, that counts.",
    "smaller",
  ),
  allowed_paths: setting(
    z.array(z.string().min(1)).default([]),
    "Folders where a command may start, and where `cd` may lead. Empty means the working directory. It is also the default of `tools.sandbox.allow_write`.",
    "within",
  ),
  max_output_bytes: setting(
    z
      .int()
      .min(1024)
      .max(256 * 1024 * 1024)
      .default(10 * 1024 * 1024),
    "Most bytes of output that are kept. Beyond it the first and the last half are kept and the middle is counted.",
    "smaller",
  ),
  max_background_runs: setting(z.int().min(0).max(64).default(8), "Most commands running in the background at once.", "smaller"),
  background_timeout_secs: setting(z.number().min(1).max(604_800).default(1800), "Seconds a background command may take.", "smaller"),
  enable_execution_context: setting(z.boolean().default(false), "Give hooks `ZEPH_TURN_ID`, `ZEPH_GOAL_ID` and `ZEPH_SKILL_NAME`."),
  transactional: setting(z.boolean().default(false), "Save what a command would change before it runs, so that it can be undone."),
  transaction_scope: setting(
    z.array(z.string().min(1)).default(["**"]),
    "Globs, from the working directory, of what is saved when it cannot be known what a command changes.",
  ),
  auto_rollback: setting(z.boolean().default(false), "Undo a command that ends with one of `auto_rollback_exit_codes`."),
  auto_rollback_exit_codes: setting(z.array(z.int().min(0).max(255)).default([1, 2]), "Exit codes that undo a command."),
  snapshot_required: setting(z.boolean().default(false), "Do not run a command whose changes could not be saved.", "on"),
  max_snapshot_bytes: setting(z.int().min(0).default(0), "Most bytes saved before a command; 0 means no cap."),
}));
const shape = makeOnce(() => z.strictObject(shellRunConfig()));
export type ShellRunConfig = z.output<ReturnType<typeof shape>>;

/** Milliseconds a command may take. The caller may ask for less, and for more up to what the configuration allows at most. */
export const commandTime = ({ timeout, max_timeout }: ShellRunConfig, seconds: number = timeout): number =>
  Math.min(seconds, Math.max(timeout, max_timeout)) * 1000;
