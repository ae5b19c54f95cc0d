// The project of four tasks: the sources of semver, with tests of ours.
import { commit, copy, mustRun, read, write } from "../kit.mjs";

export function laySemver(folder) {
  copy("semver@7.7.2", folder, ["bin", "classes", "functions", "internal", "ranges", "index.js", "preload.js", "README.md"]);
  write(folder, {
    "package.json": `${JSON.stringify({ name: "semver", version: "7.7.2", main: "index.js", scripts: { test: "node --test test/" } }, null, 2)}\n`,
    "CHANGELOG.md": "# Changes\n\n## 7.7.2\n\n- Smaller ranges are parsed faster.\n",
    ".gitignore": "node_modules/\n",
    ...TESTS,
  });
  mustRun(folder, "chmod -R u+w .");
}

export const commitSemver = (folder) => commit(folder, "semver 7.7.2");

export function testFile(title, names, cases) {
  return `'use strict'
const { test } = require('node:test')
const assert = require('node:assert')
const { ${names} } = require('..')

${cases.map(([name, ...lines]) => `test('${title}: ${name}', () => {\n${lines.map((line) => `  ${line}\n`).join("")}})\n`).join("\n")}`;
}

/** Whether the tests of the project are unchanged. */
export const sameTests = (folder) => Object.entries(TESTS).every(([name, text]) => read(folder, name) === text);

const TESTS = {
  "test/compare.test.js": testFile("compare", "compare, gt, lt, eq", [
    ["numbers", "assert.equal(compare('1.10.0', '1.9.0'), 1)", "assert.ok(gt('2.0.0', '1.99.99'))"],
    ["equal", "assert.ok(eq('v1.2.3', '1.2.3'))", "assert.ok(!lt('1.2.3', '1.2.3'))"],
  ]),
  "test/sort.test.js": testFile("sort", "sort, rsort", [
    ["releases", "assert.deepEqual(sort(['1.2.3', '1.0.0', '1.10.0']), ['1.0.0', '1.2.3', '1.10.0'])"],
    ["backwards", "assert.deepEqual(rsort(['0.1.0', '3.0.0', '0.2.0']), ['3.0.0', '0.2.0', '0.1.0'])"],
  ]),
  "test/range.test.js": testFile("range", "satisfies, validRange, subset", [
    ["caret", "assert.ok(satisfies('1.9.9', '^1.2.3'))", "assert.ok(!satisfies('2.0.0', '^1.2.3'))"],
    ["tilde", "assert.ok(satisfies('1.2.9', '~1.2.3'))", "assert.ok(!satisfies('1.3.0', '~1.2.3'))"],
    ["normal form", "assert.equal(validRange('1.x'), '>=1.0.0 <2.0.0-0')"],
    ["subset", "assert.ok(subset('~1.2.3', '^1.2.0'))"],
  ]),
  "test/choose.test.js": testFile("choose", "maxSatisfying, minVersion", [
    [
      "the newest candidate",
      "assert.equal(maxSatisfying(['2.0.0-rc.2', '2.0.0-rc.1.1', '2.0.0-beta'], '>=2.0.0-alpha <3.0.0'), '2.0.0-rc.2')",
    ],
    ["a word is newer than a number", "assert.equal(maxSatisfying(['2.0.0-7', '2.0.0-next'], '>=2.0.0-0'), '2.0.0-next')"],
    ["least", "assert.equal(minVersion('>1.0.0').version, '1.0.1')"],
  ]),
  "test/inc.test.js": testFile("inc", "inc, diff", [
    ["parts", "assert.equal(inc('1.2.3', 'minor'), '1.3.0')", "assert.equal(inc('1.2.3', 'premajor', 'beta'), '2.0.0-beta.0')"],
    ["difference", "assert.equal(diff('1.2.3', '1.3.0'), 'minor')"],
  ]),
};
