import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import type { Verdict } from "../scripts/second-run.mjs";

/** Writes to a file how a run ended, for scripts/second-run.mjs. vitest's own JSON says nothing of errors outside of tests. */
export const createVerdictReporter = (file: string): Reporter => ({
  onTestRunEnd(modules, unhandled, reason) {
    const verdict: Verdict = { hasCrashed: unhandled.length > 0 || reason === "interrupted", files: modules.map(fileVerdict) };
    writeFileSync(file, JSON.stringify(verdict));
  },
});

function fileVerdict(module: TestModule): Verdict["files"][number] {
  const count = (state: "passed" | "skipped") => [...module.children.allTests(state)].length;
  const around = [module, ...module.children.allSuites()].flatMap((one) =>
    one.errors().map(({ message }) => ({ name: one.type === "module" ? "(the file)" : one.fullName, message })),
  );
  const tests = [...module.children.allTests("failed")].map((test) => ({
    name: test.fullName,
    message: test.result().errors?.[0]?.message ?? "",
  }));
  return { file: module.moduleId, passed: count("passed"), skipped: count("skipped"), failed: [...around, ...tests] };
}
