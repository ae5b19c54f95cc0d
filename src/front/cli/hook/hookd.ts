import { homedir } from "node:os";
import { version } from "../../../files/version.ts";
import { serveHookd } from "../../../runtime/hook/serve-hookd.ts";
import { EXIT } from "../exit.ts";
import type { Invocation } from "../program/invocation.ts";
import { listenForStop } from "../stop.ts";

/** `zeph hookd`: answers hooks and runs the commands of `zeph exec`, until it was idle for a while. Started by the first of them. */
export async function hookd({ settings }: Invocation): Promise<number> {
  const { signal } = listenForStop();
  const home = process.env.HOME?.startsWith("/") ? process.env.HOME : homedir();
  await serveHookd({ version: version(), home, env: process.env, settings, signal });
  // Nothing may keep it that somebody left open.
  setTimeout(() => process.exit(EXIT.ok), 1000).unref();
  return EXIT.ok;
}
