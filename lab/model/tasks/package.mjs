import { commit, copy, missing, mustRun, read, run, source, write } from "../kit.mjs";

const TEST = `import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const run = (...words) => execFileSync(process.execPath, ["count-words.js", ...words], { encoding: "utf8" });

test("three words at first", () => assert.equal(run("LICENSE").split("\\n").length, 4));
test("--top=5 and -t 5 are the same", () => {
  assert.equal(run("--top=5", "LICENSE").split("\\n").length, 6);
  assert.equal(run("-t", "5", "LICENSE"), run("--top=5", "LICENSE"));
});
test("--json", () => assert.equal(JSON.parse(run("--json", "--top", "2", "LICENSE")).length, 2));
`;

export const letter = "g";
export const title = "a task that needs a package";
export const ask =
  "count-words.js reads its arguments by hand, and so `--top=5` and `-t 5` do nothing. Use the package mri instead: add it to the dependencies with npm from vendor/mri-1.2.0.tgz (there is no registry) and read the arguments with it. `npm test` has to pass.";

export function lay(folder) {
  copy("marked@18.2.0", folder, ["LICENSE"]);
  mustRun(folder, `mkdir vendor && npm pack '${source("mri@1.2.0")}' --silent --pack-destination vendor`);
  write(folder, {
    "package.json": `${JSON.stringify({ name: "count-words", version: "1.0.0", private: true, type: "module", scripts: { test: "node --test test/" } }, null, 2)}\n`,
    ".gitignore": "node_modules/\n",
    "test/count-words.test.js": TEST,
    "count-words.js": `import { readFileSync } from "node:fs";

const options = readArguments(process.argv.slice(2));
const counts = new Map();
for (const file of options.files)
  for (const word of readFileSync(file, "utf8").toLowerCase().match(/[a-z]+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
const top = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, options.top);
if (options.json) console.log(JSON.stringify(top));
else for (const [word, count] of top) console.log(\`\${count} \${word}\`);

function readArguments(words) {
  const found = { top: 3, json: false, files: [] };
  for (let at = 0; at < words.length; at++) {
    if (words[at] === "--top") found.top = Number(words[++at]);
    else if (words[at] === "--json") found.json = true;
    else if (!words[at].startsWith("-")) found.files.push(words[at]);
  }
  return found;
}
`,
  });
  commit(folder, "count-words");
}

export const check = (folder) =>
  missing({
    "mri is a dependency": /mri/.test(JSON.parse(read(folder, "package.json")).dependencies?.mri ?? ""),
    "it is in the lockfile": read(folder, "package-lock.json").includes("node_modules/mri"),
    "the program uses it": /from ["']mri["']/.test(read(folder, "count-words.js")),
    "the tests pass": run(folder, "npm test").ok && read(folder, "test/count-words.test.js") === TEST,
  });
