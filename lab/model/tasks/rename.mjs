import { missing, run } from "../kit.mjs";
import { commitSemver, laySemver, sameTests } from "./semver-project.mjs";

export const letter = "f";
export const title = "rename over files, commit";
export const ask =
  'Rename the function `parseOptions` to `readOptions` everywhere, and its file internal/parse-options.js to internal/read-options.js. `npm test` has to pass. Then commit with the message "Rename parseOptions to readOptions".';

export function lay(folder) {
  laySemver(folder);
  commitSemver(folder);
}

export const check = (folder) =>
  missing({
    "no old name is left": !run(folder, "git grep -nE 'parseOptions|parse-options'").ok,
    "the file is renamed": run(folder, "git ls-files --error-unmatch internal/read-options.js && test ! -e internal/parse-options.js").ok,
    "one commit with that message": run(folder, "git log --format=%s").text === "Rename parseOptions to readOptions\nsemver 7.7.2\n",
    "nothing is left to commit": run(folder, 'test -z "$(git status --porcelain)"').ok,
    "the tests pass": run(folder, "npm test").ok && sameTests(folder),
  });
