import { commit, edit, missing, mustRun, read, run, write } from "../kit.mjs";
import { commitSemver, laySemver, sameTests, testFile } from "./semver-project.mjs";

const STRICT = testFile("strict", "satisfies, Range", [
  ["a range that is no range is false", "assert.equal(satisfies('1.2.3', 'no range'), false)"],
  [
    "another failure is told",
    "assert.throws(() => satisfies('1.2.3', '^1.0.0', { get loose() { throw new RangeError('stop') } }), RangeError)",
  ],
]);
const LISTS = testFile("lists", "satisfies, clamp", [
  [
    "one of several ranges is enough",
    "assert.ok(satisfies('2.1.0', ['^1.0.0', '^2.0.0']))",
    "assert.ok(!satisfies('3.0.0', ['^1.0.0', '^2.0.0']))",
  ],
  ["none", "assert.equal(satisfies('1.0.0', []), false)"],
  ["clamp", "assert.equal(clamp('3.0.0', '1.0.0', '2.0.0'), '2.0.0')", "assert.equal(clamp('1.5.0', '1.0.0', '2.0.0'), '1.5.0')"],
]);

export const letter = "l";
export const title = "a merge with three conflicts";
export const ask =
  "Merge the branch `lists` into `main`. Keep what both sides wanted; `npm test` has to pass with the tests of both. Commit the merge.";

export function lay(folder) {
  laySemver(folder);
  commitSemver(folder);
  mustRun(folder, "git checkout -q -b lists");
  write(folder, {
    "test/lists.test.js": LISTS,
    "functions/clamp.js":
      "'use strict'\n\nconst compare = require('./compare')\nconst clamp = (v, low, high) => compare(v, low) < 0 ? low : compare(v, high) > 0 ? high : v\nmodule.exports = clamp\n",
    "functions/satisfies.js": `'use strict'

const Range = require('../classes/range')
const satisfies = (version, ranges, options) =>
  [ranges].flat().some((range) => {
    try {
      return new Range(range, options).test(version)
    } catch (er) {
      return false
    }
  })
module.exports = satisfies
`,
  });
  edit(folder, "index.js", /const cmp = /, "const clamp = require('./functions/clamp')\nconst cmp = ");
  edit(folder, "index.js", /\n {2}cmp,/, "\n  clamp,\n  cmp,");
  edit(folder, "CHANGELOG.md", /# Changes\n/, "# Changes\n\n## 7.8.0\n\n- `satisfies` takes a list of ranges; `clamp` is new.\n");
  commit(folder, "Take lists of ranges, add clamp");
  mustRun(folder, "git checkout -q main");
  write(folder, {
    "test/strict.test.js": STRICT,
    "functions/within.js":
      "'use strict'\n\nconst satisfies = require('./satisfies')\nconst within = (v, low, high) => satisfies(v, low + ' - ' + high)\nmodule.exports = within\n",
  });
  edit(
    folder,
    "functions/satisfies.js",
    /catch \(er\) \{\n/,
    "catch (er) {\n    if (!(er instanceof TypeError)) {\n      throw er\n    }\n",
  );
  edit(folder, "index.js", /const cmp = /, "const within = require('./functions/within')\nconst cmp = ");
  edit(folder, "index.js", /\n {2}cmp,/, "\n  within,\n  cmp,");
  edit(folder, "CHANGELOG.md", /# Changes\n/, "# Changes\n\n## 7.8.0\n\n- `satisfies` throws what is no TypeError; `within` is new.\n");
  commit(folder, "Throw what is no TypeError, add within");
}

export function check(folder) {
  const changes = read(folder, "CHANGELOG.md");
  return missing({
    "main is a merge of both": run(
      folder,
      "test $(git branch --show-current) = main && git merge-base --is-ancestor lists HEAD && git rev-parse --verify -q HEAD^2",
    ).ok,
    "nothing is left to commit": run(folder, 'test -z "$(git status --porcelain)"').ok,
    "no marker is left": !run(folder, "git grep -nE '^(<<<<<<<|=======|>>>>>>>)' -- '*.js' CHANGELOG.md").ok,
    "the changes of both are listed": changes.includes("`within`") && changes.includes("`clamp`"),
    "the tests of both pass":
      run(folder, "npm test").ok &&
      sameTests(folder) &&
      read(folder, "test/lists.test.js") === LISTS &&
      read(folder, "test/strict.test.js") === STRICT,
  });
}
