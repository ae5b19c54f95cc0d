import type { TextJob, Worked } from "../core/ports/texts.ts";
import { createOutputFilter, type OutputFilter } from "../filters/output.ts";
import { compileSecretPatterns } from "../filters/secrets/custom-patterns.ts";
import { createSecretFinder } from "../filters/secrets/secrets.ts";
import { cleanTexts } from "./clean.ts";
import { type CleanAnswer, type CleanJob, type FilterSettings, listTexts, printedIn, textsFrom } from "./clean-long.ts";

/** The thread's side of cleaning. It is a file of its own, so that the main thread does not load every rule. */
export function runCleanJob(job: TextJob, texts: readonly string[]): Worked {
  const { settings, options, shape, repeated } = job as CleanJob;
  const before = [...texts];
  const printed = printedIn(before, options);
  for (const { at, rest } of repeated) before[at] = printed + rest;
  const filter = filterFor(settings);
  const known = settings.config.security.enabled ? filter.secrets : null;
  const made = cleanTexts(textsFrom(before, shape), options, { filter, secrets: known });
  const after = listTexts(made);
  const back: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const place = places.get(text) ?? back.push(text) - 1;
    places.set(text, place);
    return place;
  };
  const changed: { at: number[]; text: number[]; lineEnds: number[] } = { at: [], text: [], lineEnds: [] };
  for (const [at, text] of after.entries()) {
    if (text === before[at]) continue;
    const body = text.replace(/\n{1,1000}$/, "");
    changed.at.push(at);
    changed.text.push(placeOf(body));
    changed.lineEnds.push(text.length - body.length);
  }
  const { filter: report, warning, omitted } = made;
  const whole = omitted?.whole === printed ? -1 : omitted && placeOf(omitted.whole);
  const inRows = { at: Uint32Array.from(changed.at), text: Uint32Array.from(changed.text), lineEnds: Uint32Array.from(changed.lineEnds) };
  const answer: CleanAnswer = { changed: inRows, filter: report, warning, omitted: omitted && { ...omitted, whole: whole! } };
  return { answer, texts: back };
}

/** Rules take a moment to read; the same settings come again and again. */
let last: { readonly key: string; readonly filter: OutputFilter } | null = null;
function filterFor(settings: FilterSettings): OutputFilter {
  const key = JSON.stringify(settings);
  if (last?.key !== key) {
    const { config, file, own } = settings;
    const patterns = config.security.extra_patterns;
    const known = createSecretFinder(patterns.length > 0 ? compileSecretPatterns(patterns) : undefined, new Set(own));
    last = { key, filter: createOutputFilter(config, file, known) };
  }
  return last.filter;
}
