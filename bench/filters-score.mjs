// How well an output was filtered. What is saved counts only when every fact survives.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** One case and what became of it. */
export function score(one, raw, out, ms) {
  const clean = withoutColours(out);
  const flat = clean.replace(/\s+/g, " ");
  const holds = (fact) => (fact.startsWith("re:") ? new RegExp(fact.slice(3), "i").test(clean) : flat.includes(fact.replace(/\s+/g, " ")));
  const stays = (noise) => out.includes(noise) || (noise.startsWith("re:") && new RegExp(noise.slice(3)).test(out));
  const lost = one.facts.filter((fact) => !holds(fact));
  const before = tokens(raw);
  const after = tokens(out);
  const tooBig = one.mostTokens !== null && after > one.mostTokens;
  return {
    name: one.name,
    category: one.category,
    isGiant: one.isGiant,
    before,
    after,
    saved: before === 0 ? 0 : 1 - after / before,
    cappedBefore: tokens(capped(raw)),
    cappedAfter: tokens(capped(out)),
    facts: one.facts.length,
    lost,
    noise: one.noise.length,
    noiseLeft: one.noise.filter(stays).length,
    detail: one.detail.length === 0 ? null : one.detail.filter(holds).length / one.detail.length,
    secrets: one.secrets.length,
    leaks: one.secrets.filter((secret) => out.includes(secret)).length,
    warned: one.mustWarn ? isWarning(clean, withoutColours(raw)) : null,
    changed: one.exact && clean.trimEnd() !== withoutColours(raw).trimEnd(),
    tooBig,
    ms,
    whole: lost.length === 0 && !tooBig,
  };
}

/** A person would see at most so much of a giant anyway. */
const CAP = 30_000;
const capped = (text) => (text.length > CAP ? text.slice(0, CAP / 2) + text.slice(-CAP / 2) : text);

const SPEAKS = /credential|secret|sensitive|redact/i;
const isWarning = (out, raw) =>
  (SPEAKS.test(out) && !SPEAKS.test(raw)) || /\[(?:security|redacted|credential)|⚠.*(?:secret|credential)/i.test(out);

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const withoutColours = (text) => text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007/g, "");

const PIECE = 8192;
const SAMPLED = 2_000_000;
const SAMPLES = 64;

/** In pieces, because the tokenizer is slow on giant words; of a giant text a sample. */
export function tokens(text) {
  if (text === "") return 0;
  if (text.length > SAMPLED) return estimate(text);
  let total = 0;
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + PIECE);
    const newline = to < text.length ? text.lastIndexOf("\n", to) : -1;
    if (newline > from + PIECE / 2) to = newline + 1;
    total += count(text.slice(from, to));
    from = to;
  }
  return total;
}

function estimate(text) {
  const step = Math.floor(text.length / SAMPLES);
  const samples = Array.from({ length: SAMPLES }, (_, n) => text.slice(n * step, n * step + PIECE));
  const counted = samples.reduce((sum, sample) => sum + count(sample), 0);
  return Math.round((counted / samples.join("").length) * text.length);
}

const count = (text) => countTokens(text, { allowedSpecial: "all" });

/** Cases too small to save anything on do not count. */
const LEAST_TOKENS = 100;

/** The mean of what was saved; nothing for a case that lost a fact, and what it grew for one that grew. */
export function gatedSavings(rows) {
  const counted = rows.filter(({ before }) => before >= LEAST_TOKENS);
  return mean(counted.map(({ whole, saved }) => (whole ? saved : Math.min(0, saved))));
}

export const savings = (rows) => mean(rows.filter(({ before }) => before >= LEAST_TOKENS).map(({ saved }) => saved));

export function cappedSavings(rows) {
  const after = sum(rows.map(({ whole, cappedAfter, cappedBefore }) => (whole ? cappedAfter : cappedBefore)));
  return 1 - after / sum(rows.map(({ cappedBefore }) => cappedBefore));
}

/** A few tokens more are no growth: a warning needs them. */
export const hasGrown = ({ before, after }) => after > before + 5;

export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const mean = (numbers) => (numbers.length === 0 ? 0 : sum(numbers) / numbers.length);
