import { debuglog } from "node:util";
import type { Confidence } from "../core/tool.ts";
import type { Subject } from "./command.ts";
import { type Line, lengthOf } from "./line.ts";
import type { Rule } from "./rule.ts";
import type { Apply, Shortened, Source } from "./strategy.ts";

/** One rule that had something to say about an output. */
export interface RuleStep {
  readonly rule: string;
  readonly strategy: string;
  /** The command whose output it took the text for. */
  readonly command: string;
  readonly did: "shortened" | "nothing" | "left alone";
  readonly before: number;
  readonly after: number;
  readonly confidence: Confidence;
}

/** What rules made of a text. */
export interface Applied {
  readonly lines: readonly Line[];
  readonly steps: readonly RuleStep[];
  readonly confidence: Confidence;
  /** Lines left out that look like errors and are none. */
  readonly harmless: number;
}

/** Applies each rule to what the one before it left. */
export function applyRules(
  rules: readonly Rule[],
  before: readonly Line[],
  about: { readonly exitCode: number | null; readonly subject: Subject },
): Applied {
  let lines = before;
  let harmless = 0;
  const steps: RuleStep[] = [];
  const heard: Confidence[] = [];
  const command = about.subject.forms.at(-1) ?? "";
  for (const { name, strategy, origin, apply } of rules) {
    const result = attempt(apply, { lines, ...about });
    const did =
      result === null ? "left alone" : result.lines.length < lines.length || shorter(result.lines, lines) ? "shortened" : "nothing";
    const after = did === "shortened" ? result!.lines : lines;
    const confidence = result && did === "shortened" ? result.confidence : "Fallback";
    steps.push({ rule: name, strategy, command, did, before: lines.length, after: after.length, confidence });
    // One of ours that finds nothing to do steps aside; a person's rule counts whatever it did.
    if (did === "shortened" || origin === "user") heard.push(confidence);
    if (did === "shortened") harmless += result!.harmless ?? 0;
    lines = after;
  }
  return { lines, steps, confidence: worst(heard), harmless };
}

/** What was made of the parts of a text, one after the other. Parts that nothing was done to say nothing about the others. */
export function combineApplied(parts: readonly Applied[]): Applied {
  const heard = parts.filter(({ steps }) => steps.some(({ did }) => did === "shortened"));
  return {
    lines: parts.flatMap(({ lines }) => lines),
    steps: parts.flatMap(({ steps }) => steps),
    confidence: worst(heard.map(({ confidence }) => confidence)),
    harmless: parts.reduce((sum, { harmless }) => sum + harmless, 0),
  };
}

/** What rules made of what others had left. */
export function chainApplied(first: Applied, then: Applied): Applied {
  const { steps, confidence, harmless } = combineApplied([first, then]);
  return { lines: then.lines, steps, confidence, harmless };
}

/** A rule that fails leaves the text alone: it must not take the output with it. */
function attempt(apply: Apply, source: Source): Shortened | null {
  try {
    return apply(source);
  } catch (error) {
    log("a filter rule failed: %s", error);
    return null;
  }
}

const log = debuglog("zeph");

const shorter = (after: readonly Line[], before: readonly Line[]): boolean => after !== before && lengthOf(after) < lengthOf(before);

const WORST_FIRST = ["Fallback", "Partial", "Full"] as const;
const worst = (heard: readonly Confidence[]): Confidence => WORST_FIRST.find((level) => heard.includes(level)) ?? "Fallback";
