import { missing, read, run } from "../kit.mjs";
import { commitSemver, laySemver, sameTests } from "./semver-project.mjs";

export const letter = "b";
export const title = "a feature over seven files";
export const ask = `Add a function \`between(version, low, high, options)\`: true if low <= version <= high. Wanted are: functions/between.js; its export in index.js; a method \`isBetween(low, high)\` of the class SemVer; an option \`--between <low> <high>\` of bin/semver.js that keeps only such versions, with its lines in the help text; a line in README.md beside the other comparisons; an entry in CHANGELOG.md under a new heading "## 7.8.0"; and test/between.test.js. \`npm test\` has to pass.`;

export function lay(folder) {
  laySemver(folder);
  commitSemver(folder);
}

export function check(folder) {
  const uses = `const s = require('.'); const v = new s.SemVer('1.5.0');
    process.exit(s.between('1.5.0', '1.5.0', '2.0.0') && !s.between('2.0.1', '1.0.0', '2.0.0') && !s.between('1.0.0-rc.1', '1.0.0', '2.0.0')
      && v.isBetween('1.0.0', '2.0.0') && !v.isBetween('1.6.0', '2.0.0') ? 0 : 1)`;
  const shell = run(folder, "node bin/semver.js --between 1.0.0 2.0.0 0.9.0 1.4.0 2.0.1 2.0.0");
  return missing({
    "the function and the method work": run(folder, `node -e "${uses.replaceAll('"', '\\"')}"`).ok,
    "the option works": shell.text === "1.4.0\n2.0.0\n",
    "the help has it": run(folder, "node bin/semver.js --help").text.includes("--between"),
    "README.md has it": /between\(/.test(read(folder, "README.md")),
    "CHANGELOG.md has it": /## 7\.8\.0[^#]*between/i.test(read(folder, "CHANGELOG.md")),
    "it has a test": /between/.test(read(folder, "test/between.test.js")),
    "the tests pass": run(folder, "npm test").ok && sameTests(folder),
  });
}
