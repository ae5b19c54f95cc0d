// The process that runs tests against mutants. The changed text goes to the tests only: the file on disk stays as it is, whatever happens.
import { resolve } from "node:path";
import { createVitest } from "vitest/node";

const { file, tests } = JSON.parse(process.argv[2]);
const target = resolve(file);
let changed = null;

const vitest = await createVitest(
  "test",
  {
    config: false,
    watch: false,
    include: tests,
    globalSetup: ["scripts/test-environment.mjs", "scripts/rules.mjs", "scripts/watch-assets.mjs", "scripts/worker.mjs"],
    setupFiles: ["test/setup.ts"],
    reporters: [{}],
    // A mutant is found out by the first test that fails.
    bail: 1,
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
  },
  {
    plugins: [{ name: "mutant", enforce: "pre", load: (id) => (changed !== null && id.split("?")[0] === target ? changed : null) }],
    logLevel: "silent",
  },
);
await vitest.standalone();

process.on("message", async ({ text }) => {
  changed = text;
  vitest.invalidateFile(target);
  const began = Date.now();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    tests.map((test) => vitest.getRootProject().createSpecification(resolve(test))),
  );
  process.send({
    ms: Date.now() - began,
    failure: failureIn(testModules, unhandledErrors),
    count: testModules.reduce((sum, { children }) => sum + [...children.allTests()].length, 0),
  });
});
process.on("disconnect", () => void vitest.close().finally(() => process.exit()));
process.send({ ready: true });

/** The first test that failed, or what went wrong around the tests; null if everything passed. */
function failureIn(modules, unhandled) {
  for (const module of modules) {
    for (const test of module.children.allTests("failed")) return test.fullName;
    const [error] = module.errors();
    if (error) return error.message;
  }
  return unhandled.length > 0 ? String(unhandled[0].message ?? unhandled[0]) : null;
}
