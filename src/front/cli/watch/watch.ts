import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

/** `zeph watch`: what runs now, on a page or with --plain in the terminal. Returns the exit code. */
export async function watch(given: Invocation): Promise<number> {
  const { flags } = given;
  if (!flags.plain && flags.once !== undefined) throw new UsageError("--once is for --plain.");
  if (!flags.plain) return (await import("./page.ts")).watchPage(given);
  const other = flags.open === false ? "no-open" : ["answer", "port"].find((name) => flags[name] !== undefined);
  if (other !== undefined) throw new UsageError(`--${other} is for the page, and --plain has none.`);
  return (await import("./plain.ts")).watchPlain(given);
}
