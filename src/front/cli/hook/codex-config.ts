import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { readOwnText } from "../../../files/own-file.ts";
import type { FoundHook } from "../../../hook/install/edit-text.ts";
import type { Whereabouts } from "../../../hook/install/place.ts";
import { attempt } from "../../../text/attempt.ts";
import { isRecord } from "../../../text/json.ts";
import { parseToml } from "../../../text/toml.ts";

const MOST_BYTES = 1024 * 1024;

/** What Codex's own file says; null where there is none, or it cannot be read. */
function readCodexConfig({ home, env }: Whereabouts): Record<string, unknown> | null {
  const folder = env.CODEX_HOME && isAbsolute(env.CODEX_HOME) ? env.CODEX_HOME : join(home, ".codex");
  const text = readOwnText(join(folder, "config.toml"), { maxBytes: MOST_BYTES });
  return text === null ? null : attempt(() => parseToml(text, "settings"), null);
}

/** The hashes of hooks that somebody trusted, by Codex's key of each; those of one file. Codex keeps them in its own file, and only Codex writes them. */
export function readCodexTrust(place: Whereabouts, file: string): Readonly<Record<string, string>> {
  const hooks = readCodexConfig(place)?.hooks;
  const state = isRecord(hooks) && isRecord(hooks.state) ? hooks.state : {};
  const files = [file, attempt(() => realpathSync(file), file)];
  return Object.fromEntries(
    Object.entries(state).flatMap(([key, value]) => {
      const hash = isRecord(value) ? value.trusted_hash : undefined;
      return typeof hash === "string" && files.some((one) => key.startsWith(`${one}:`)) ? [[key, hash]] : [];
    }),
  );
}

/** Whether Codex was told to leave one of these hooks out, which stands beside the trust in it. */
export function isLeftOutByCodex(place: Whereabouts, file: string, own: readonly FoundHook[]): boolean {
  const hooks = readCodexConfig(place)?.hooks;
  const state = isRecord(hooks) && isRecord(hooks.state) ? hooks.state : {};
  const files = [file, attempt(() => realpathSync(file), file)];
  return Object.entries(state).some(
    ([key, value]) =>
      isRecord(value) &&
      value.enabled === false &&
      files.some((one) => key.startsWith(`${one}:`)) &&
      own.some((hook) => isKeyOf(key, hook)),
  );
}

/** Hooks that stand in config.toml itself, beside those of hooks.json. */
export function hooksInCodexConfig(place: Whereabouts): readonly Pick<FoundHook, "event" | "command">[] {
  const hooks = readCodexConfig(place)?.hooks;
  return Object.entries(isRecord(hooks) ? hooks : {}).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group) =>
      (isRecord(group) && Array.isArray(group.hooks) ? group.hooks : []).flatMap((one) =>
        isRecord(one) && typeof one.command === "string" ? [{ event, command: one.command }] : [],
      ),
    ),
  );
}

/** Whether Codex will run this hook: somebody trusted what stands there now, and not only what stood there before. */
export function isTrustedByCodex(
  hook: FoundHook,
  trusted: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>> = {},
): boolean {
  const [key, hash] = Object.entries(trusted).find(([name]) => isKeyOf(name, hook)) ?? [];
  return key !== undefined && before[key] !== hash;
}

/** Codex's key of a hook is its file, its event in another spelling, and its place there. */
export const isKeyOf = (key: string, { event, place: [entry, inner] }: FoundHook): boolean =>
  key.endsWith(`:${event.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()}:${entry}:${inner}`);
