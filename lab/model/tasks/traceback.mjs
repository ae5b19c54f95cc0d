import { commit, copy, edit, missing, read, run, write } from "../kit.mjs";

const TESTS = `python3 -m unittest discover -s pylib -p '*_test.py'`;

export const letter = "c";
export const title = "a Python traceback";
export const ask = "`./run-tests.sh` fails. Find out why and repair the code, not the tests.";

export function lay(folder) {
  copy("node-gyp@11.2.0", folder, ["gyp/pylib", "gyp/data", "gyp/LICENSE"]);
  write(folder, { "run-tests.sh": `#!/bin/sh\nexec ${TESTS}\n`, ".gitignore": "__pycache__/\n" });
  run(folder, "chmod -R u+w . && chmod +x run-tests.sh");
  edit(folder, "pylib/gyp/MSVSSettings.py", /index = int\(value\)/, "index = value");
  edit(folder, "pylib/gyp/common.py", /ordered_nodes\.insert\(0, node\)/, "ordered_nodes.append(node)");
  commit(folder, "gyp");
}

export const check = (folder) =>
  missing({
    "the tests pass": run(folder, TESTS).ok,
    "the tests are as they were": run(folder, "git diff --quiet $(git rev-list --max-parents=0 HEAD) -- '*_test.py'").ok,
    "run-tests.sh is as it was": read(folder, "run-tests.sh").includes(TESTS),
  });
