import { edit, missing, run } from "../kit.mjs";
import { commitSemver, laySemver, sameTests } from "./semver-project.mjs";

export const letter = "a";
export const title = "a failing test among 57 files";
export const ask = "`npm test` fails. Find the cause in the sources and fix it. The tests are right; leave them as they are.";

export function lay(folder) {
  laySemver(folder);
  edit(folder, "internal/identifiers.js", /anum && !bnum/, "bnum && !anum");
  edit(folder, "internal/identifiers.js", /: \(bnum && !anum\) \? 1/, ": (anum && !bnum) ? 1");
  commitSemver(folder);
}

export const check = (folder) => missing({ "the tests pass": run(folder, "npm test").ok, "the tests are as they were": sameTests(folder) });
