import { BOUNDS } from "./about-bounds.ts";
import type { AboutGate } from "./about-gate.ts";
import { RULES } from "./about-rules.ts";
import { WATCH } from "./about-watch.ts";

/** In the order they are asked: the blocklist, the gates, the person's hooks. docs/gates.md is made from it. */
export const ABOUT_GATES: readonly AboutGate[] = [...BOUNDS, ...RULES, ...WATCH];
