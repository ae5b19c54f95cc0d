import { debuglog } from "node:util";
import type { Confidence } from "../core/tool.ts";

/** What filters have saved. */
export interface FilterCounts {
  /** Commands whose output went through the filter, and how many of them came out shorter. */
  readonly commands: number;
  readonly filtered: number;
  readonly rawChars: number;
  readonly chars: number;
  readonly confidence: Readonly<Record<Confidence, number>>;
  readonly rules: Readonly<Record<string, { readonly uses: number; readonly rawChars: number; readonly chars: number }>>;
}

/** What a filter made of one output. */
export interface FilteredSize {
  readonly rule: string | null;
  readonly confidence: Confidence;
  readonly rawChars: number;
  readonly chars: number;
}

export interface FilterStats {
  /** `command` is what was run, as it was written. */
  add(result: FilteredSize, command: string): void;
  counts(): FilterCounts;
}

const EVERY = 50;
const MOST_RULES = 500;
const log = debuglog("zeph");

/** What the filter saved, in total and by rule. Told to the debug log every fifty commands (NODE_DEBUG=zeph). */
export function createFilterStats(): FilterStats {
  const confidence = { Full: 0, Partial: 0, Fallback: 0 };
  const rules = new Map<string, { uses: number; rawChars: number; chars: number }>();
  const total = { commands: 0, filtered: 0, rawChars: 0, chars: 0 };
  const counts = () => ({ ...total, confidence: { ...confidence }, rules: Object.fromEntries(rules) });
  return {
    add({ rule, confidence: level, rawChars, chars }) {
      total.commands += 1;
      total.rawChars += rawChars;
      total.chars += chars;
      confidence[level] += 1;
      if (chars < rawChars) total.filtered += 1;
      const sum = rules.get(rule ?? "none") ?? { uses: 0, rawChars: 0, chars: 0 };
      if (rules.size < MOST_RULES || sum.uses > 0)
        rules.set(rule ?? "none", { uses: sum.uses + 1, rawChars: sum.rawChars + rawChars, chars: sum.chars + chars });
      if (total.commands % EVERY === 0) log("filters: %j", counts());
    },
    counts,
  };
}
