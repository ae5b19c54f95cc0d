import { BOUNDS } from "./bounds.ts";
import type { AboutGate } from "./gate.ts";
import { RULES } from "./rules.ts";
import { WATCH } from "./watch.ts";

/** In the order they are asked: the blocklist, the gates, the person's hooks. docs/gates.md is made from it. */
export const ABOUT_GATES: readonly AboutGate[] = [...BOUNDS, ...RULES, ...WATCH];
