import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

/** `zeph watch`: what runs now, on a page or with --plain in the terminal. Returns the exit code. */
export async function watch(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  if (flags.plain) return (await import("./plain.ts")).watchPlain(given);
  const alone = ["once", "json"].find((name) => flags[name] !== undefined);
  if (alone !== undefined) throw new UsageError(`--${alone} is for --plain.`);
  terminal.stderr.write("There is no page yet. zeph watch --plain tells in this terminal what runs.\n");
  return EXIT.usage;
}
