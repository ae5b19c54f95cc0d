import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { redactValues } from "../../filters/secrets/redact-values.ts";
import type { AfterAnswer, ClientEnd, HookClient, HookedCall, HookMode } from "../../hook/client.ts";
import type { Translated } from "../../hook/tools.ts";
import { filterOutputAsync } from "../filter/filters.ts";
import { OWNER } from "../filter/standalone-filter.ts";
import { printsWhole, wholeOutputLine } from "../filter/whole-output.ts";
import type { HookRuntime } from "./answer-hook.ts";
import { answerWithin } from "./answer-within.ts";

export interface PostParts {
  readonly client: HookClient;
  readonly mode: HookMode;
  readonly call: HookedCall;
  readonly end: ClientEnd;
  readonly translated: Translated;
  /** Null where none could be opened. */
  readonly runtime: HookRuntime | null;
  /** It ran behind our walls, where its output was shortened. */
  readonly isOurs: boolean;
  readonly limitMs: number;
}

const WITHHELD = "zeph: this output could not be searched for secrets, so it is withheld.";
const KEEP: AfterAnswer = { kind: "keep" };

/**
 * What becomes of an output: without its secrets where the client takes another text, and shorter where that was asked for. A failure of ours
 * leaves its length as it is, and withholds what was not searched for secrets.
 */
export async function answerPost({ client, mode, call, end, translated, runtime, isOurs, limitMs }: PostParts): Promise<AfterAnswer> {
  const { text } = end;
  if (client.can.replaceOutput === "no") return KEEP;
  if (text === null || text === "") return withoutSecrets(runtime, end.response);
  const clean = redacted(runtime, text);
  if (clean === null) return { kind: "replace", text: WITHHELD };
  const command = mode === "guard" || isOurs || client.can.replaceOutput !== "text" ? null : commandOf(translated, call);
  const shown =
    command === null || printsWhole(command) || !runtime
      ? clean
      : await shortened(command, clean, end, runtime, limitMs).catch(() => clean);
  return shown === text ? KEEP : { kind: "replace", text: shown };
}

/** An answer of a shape that no text is known in. Where it could not be searched, no text of it is handed on. */
function withoutSecrets(runtime: HookRuntime | null, response: unknown): AfterAnswer {
  if (typeof response !== "object" || response === null) return KEEP;
  const clean = redactValues(response, (text) => redacted(runtime, text) ?? WITHHELD, WITHHELD);
  if (isDeepStrictEqual(clean, response)) return KEEP;
  return { kind: "replace", text: JSON.stringify(clean), response: clean };
}

function redacted(runtime: HookRuntime | null, text: string): string | null {
  try {
    if (!runtime) return null;
    // A person may want to see secrets; the log is searched for them all the same.
    return runtime.config.tools.filters.security.enabled ? runtime.redact(text) : text;
  } catch {
    return null;
  }
}

/** The command that printed, where one did. */
const commandOf = (translated: Translated, { args }: HookedCall): string | null =>
  translated.kind === "calls" && translated.row === "bash" && typeof args.command === "string" ? args.command : null;

async function shortened(
  command: string,
  raw: string,
  { outcome, exitCode = outcome === "ok" ? 0 : 1 }: ClientEnd,
  { config, store }: HookRuntime,
  limitMs: number,
): Promise<string> {
  const { filters } = config.tools;
  const stop = new AbortController();
  const { text } = await answerWithin(filterOutputAsync({ command, raw, exitCode, filters }, stop), limitMs, stop);
  if (!SHORTENED.test(text)) return text;
  // Not counted: other sessions number theirs at the same time.
  const handle = randomInt(100_000, 1_000_000);
  const isKept = await store.overflow.put({ owner: OWNER, text: raw, handle }).then(
    () => true,
    () => false,
  );
  return isKept ? `${text}\n${wholeOutputLine(`raw#${handle}`)}` : text;
}

/** A mark of ours: what looks like one in an output is escaped. */
const SHORTENED = /^\[-\d+ (?:lines?|errors?|values?|chars?)\b/m;
