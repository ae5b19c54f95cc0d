import type { GateView } from "../../../../../runtime/rules/gate-views.ts";
import { whoDecided } from "../../../run/print.ts";
import type { Theme } from "../../theme.ts";
import { foldLine } from "../../width.ts";
import { callHead, type ShownCall } from "../call.ts";
import { diffLines } from "../diff.ts";
import { gateLines } from "../question.ts";
import { rowLines, shownText } from "../shown-text.ts";
import type { FullView, KeyEffect } from "./full-view.ts";
import { createPager } from "./pager.ts";

/** Parts of a call that are looked up when somebody wants to see them. */
export interface CallParts {
  /** What the model read, and what went wrong. */
  readonly text: string;
  /** The whole output, before a filter shortened it; null where it is not kept or was not shortened. */
  raw(): Promise<string | null>;
  /** What every gate says of the call now; null where it cannot be told. */
  gates(): Promise<readonly GateView[] | null>;
  /** Draws the view anew: something that was looked up is there. */
  redraw(): void;
}

type Part = "text" | "raw" | "gates";
const NAMES = 10;

/** One call: what was asked, how it was decided, and what came of it. `t`, `r` and `g` change what is shown. */
export function createCallView(call: ShownCall, parts: CallParts, theme: Theme): FullView {
  let part: Part = "text";
  /** What was looked up; undefined while it is not there. */
  const found: { raw?: string | null; gates?: readonly GateView[] | null } = {};
  const asked = new Set<Part>();
  const lookUp = async (name: Exclude<Part, "text">) => {
    if (asked.has(name)) return;
    asked.add(name);
    try {
      if (name === "raw") found.raw = await parts.raw();
      else found.gates = await parts.gates();
    } catch {
      found[name] = null;
    }
    pager = createPart();
    parts.redraw();
  };
  const bodyLines = (width: number): string[] => {
    if (part === "text") return outputLines(call, parts.text, width, theme);
    if (found[part] === undefined) return [theme.dim("looking it up")];
    if (part === "gates") return found.gates ? gateLines(found.gates, width, theme) : [theme.dim("It cannot be told what the gates say.")];
    return found.raw
      ? textLines(found.raw, width)
      : [theme.dim("There is no more than the text: the model read all of it, or the rest is not kept.")];
  };
  const turnTo = (next: Part): KeyEffect => {
    part = next;
    if (next !== "text") void lookUp(next);
    pager = createPart();
    return "redraw";
  };
  const createPart = () =>
    createPager(
      {
        title: `Call${call.n === undefined ? "" : ` ${call.n}`}: ${TITLES[part]}`,
        lines: (width) => [...headLines(call, width, theme), "", ...bodyLines(width)],
        keys: "t text  r raw output  g gate by gate",
        key: (word) => (word in KEYS ? turnTo(KEYS[word]!) : null),
      },
      theme,
    );
  let pager = createPart();
  return {
    get title() {
      return pager.title;
    },
    lines: (width, height) => pager.lines(width, height),
    key: (key) => pager.key(key),
  };
}

const KEYS: Readonly<Record<string, Part>> = { t: "text", r: "raw", g: "gates" };
const TITLES: Readonly<Record<Part, string>> = { text: "what the model read", raw: "raw output", gates: "gate by gate, as of now" };

function headLines(call: ShownCall, width: number, theme: Theme): string[] {
  const { args } = call.request;
  const { decision } = call.outcome;
  const given = typeof args === "object" && args !== null ? Object.entries(args) : [["arguments", args] as const];
  const row = (name: string, text: string) => rowLines(shownText(name), shownText(text), width, NAMES, theme.accent);
  const who = decision.gate === undefined ? "nobody objected" : whoDecided(decision);
  const decided = decision.verdict === "none" ? "it was not judged" : `${decision.verdict}: ${who}`;
  const by = decision.by === undefined ? "" : `; answered by ${decision.by}${decision.reason === undefined ? "" : `: ${decision.reason}`}`;
  return [
    callHead(call, width, theme),
    "",
    ...given.flatMap(([name, value]) => row(name, typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""))),
    ...row("decided", decided + by),
  ];
}

function outputLines({ outcome }: ShownCall, text: string, width: number, theme: Theme): string[] {
  const diff = outcome.output?.diff ?? "";
  const change = diff === "" ? [] : ["", ...diffLines(diff, width, theme, { long: "fold" })];
  return text.trim() === "" && diff === "" ? [theme.dim("It printed nothing.")] : [...textLines(text, width), ...change];
}

const textLines = (text: string, width: number): string[] =>
  shownText(text)
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => foldLine(line, width));
