import type { Reporter } from "vitest/node";
import { reasonAt } from "./skip-reasons.ts";

/** Prints at the end of a run why tests were skipped, and how many for each reason. */
export const createSkipReporter = (): Reporter => ({
  onTestRunEnd(modules) {
    const counts = new Map<string, number>();
    for (const module of modules)
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const note = result.state === "skipped" ? result.note : undefined;
        const why = note ?? reasonAt(module.moduleId, test.location?.line ?? Number.POSITIVE_INFINITY);
        counts.set(why, (counts.get(why) ?? 0) + 1);
      }
    for (const [why, count] of counts) process.stdout.write(`Skipped ${count}: ${why}.\n`);
  },
});
