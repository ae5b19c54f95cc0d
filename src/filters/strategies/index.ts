import { dedup } from "./dedup.ts";
import { gitDiff } from "./git-diff.ts";
import { gitStatus } from "./git-status.ts";
import { groupByRule } from "./group-by-rule.ts";
import { keepMatching } from "./keep-matching.ts";
import { stripAnnotated } from "./strip-annotated.ts";
import { stripNoise } from "./strip-noise.ts";
import { testSummary } from "./test-summary.ts";
import { truncate } from "./truncate.ts";

/** The ways in which an output can be shortened, by the name a rule calls them. */
export const STRATEGIES = {
  strip_noise: stripNoise,
  truncate,
  keep_matching: keepMatching,
  strip_annotated: stripAnnotated,
  test_summary: testSummary,
  group_by_rule: groupByRule,
  git_status: gitStatus,
  git_diff: gitDiff,
  dedup,
} as const;

export type StrategyName = keyof typeof STRATEGIES;
