import { commit, copy, missing, run, write } from "../kit.mjs";

const LINES = 9000;
const ODD = 4711;

export const letter = "i";
export const title = "an answer hidden in 9,002 lines";
export const ask =
  "Run `npm run verify`. One line of the sources is not what was recorded. Which file and which line is it? Change nothing.";

export function lay(folder) {
  copy("kysely@0.28.18", folder, ["dist/esm", "LICENSE"], "lib");
  write(folder, {
    "package.json": `${JSON.stringify({ name: "verify", version: "1.0.0", private: true, type: "module", scripts: { verify: "node verify.js" } }, null, 2)}\n`,
    "verify.js": `import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

const recorded = JSON.parse(readFileSync("recorded.json", "utf8"));
const files = readdirSync("lib/esm", { recursive: true }).filter((name) => name.endsWith(".js")).sort();
const lines = files.flatMap((name) => readFileSync(\`lib/esm/\${name}\`, "utf8").split("\\n").map((text, at) => ({ place: \`\${name}:\${at + 1}\`, text }))).slice(0, ${LINES});
console.log(\`verifying \${lines.length} lines\`);
lines.forEach(({ place, text }, at) => {
  const sum = createHash("sha256").update(text).digest("hex").slice(0, 12);
  console.log(sum === recorded[at] ? \`same \${place} \${sum}\` : \`same? \${place} \${sum}, recorded \${recorded[at]}\`);
});
console.log(\`\${lines.length} lines verified\`);
`,
  });
  const printed = run(folder, "echo '[]' > recorded.json && node verify.js").text.trim().split("\n").slice(1, -1);
  const sums = printed.map((line) => /\S+ \S+ (\w+),/.exec(line)[1]);
  sums[ODD] = [...sums[ODD]].reverse().join("");
  write(folder, { "recorded.json": JSON.stringify(sums) });
  run(folder, "chmod -R u+w .");
  commit(folder, "verify");
}

export function check(folder, said) {
  const [, file, line] = /same\? (\S+):(\d+) /.exec(run(folder, "node verify.js").text) ?? [];
  return missing({
    "the file": said.includes(file),
    "the line": new RegExp(`\\b${line}\\b`).test(said),
    "nothing is changed": run(folder, 'test -z "$(git status --porcelain)"').ok,
  });
}
