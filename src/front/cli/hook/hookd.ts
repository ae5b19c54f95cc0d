import { homedir } from "node:os";
import { version } from "../../../files/version.ts";
import { serveHookd } from "../../../runtime/hook/serve-hookd.ts";
import { EXIT } from "../exit.ts";
import type { Invocation } from "../program/invocation.ts";
import { endWithin, listenForStop } from "../stop.ts";

const LAST_WORDS_MS = 20;

/** `zeph hookd`: answers hooks and runs the commands of `zeph exec`, until it was idle for a while. Started by the first of them. */
export async function hookd({ settings }: Invocation): Promise<number> {
  const { signal } = listenForStop();
  const home = process.env.HOME?.startsWith("/") ? process.env.HOME : homedir();
  await serveHookd({ version: version(), home, env: process.env, settings, signal });
  // Everything is written and closed. Whatever is still open has nothing left to say.
  endWithin(LAST_WORDS_MS);
  return EXIT.ok;
}
