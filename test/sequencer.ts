import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Projects in the order in which they start: the longest files must not be the last ones, when one core works and the others wait. */
const ORDER = ["stress", "peers", "process", "unit"];
/** Short files that take long: a clean clone knows nothing but sizes. */
const LONG = /\/test\/(?:stress\/(?:attacks|left-behind|races|refusals)|acp\/acpx|examples)\.test\.ts$/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => ORDER.indexOf(project.name) * 2 - (LONG.test(moduleId) ? 1 : 0);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
