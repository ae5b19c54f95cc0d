// The folder every client of the race works in: a small repository with one commit.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function furnishWork(work) {
  const put = (path, text) => {
    mkdirSync(join(work, path, ".."), { recursive: true });
    writeFileSync(join(work, path), text);
  };
  put("data.txt", lines(400, dataLine));
  for (let n = 0; n < 200; n++) put(`tree/f${n}.txt`, `some text\nneedle${n} is here\nmore text\n`);
  put("app/package.json", '{ "name": "app", "type": "module" }\n');
  put("app/src/header.js", PARSE_HEADER + lines(180, (n) => `export const HEADER_${n} = parseHeader("X-Header-${n}: value ${n}");`));
  put(
    "app/src/request.js",
    `import { parseHeader } from "./header.js";\n${lines(220, (n) => `export const readRequest${n} = (lines) => lines.slice(${n}).map(parseHeader);`)}`,
  );
  put("app/logs/server.log", lines(600, logLine));
  put("app/test.mjs", TEST);
  commit(work);
  return work;
}

/** Lines are counted from 0 here, and from 1 by those who read them. */
export const dataLine = (n) => `line ${n} of a file that somebody wrote`;

const lines = (count, line) => Array.from({ length: count }, (_, n) => `${line(n)}\n`).join("");

const logLine = (n) => {
  const what =
    n % 50 === 7 ? "ERROR TypeError: Cannot read properties of undefined (reading 'trim')" : `INFO request ${n} took ${n % 90} ms`;
  return `2026-11-16T10:${String(n % 60).padStart(2, "0")}:00Z ${what}`;
};

const PARSE_HEADER = `export function parseHeader(line) {
  const [name, value] = line.split(": ");
  return { name: name.toLowerCase(), value: value.trim() };
}
`;

// Prints as runners do: many that pass, and one that fails until the bug is gone.
const TEST = `import { parseHeader } from "./src/header.js";

for (let n = 0; n < 300; n++) {
  if (parseHeader("X-" + n + ": " + n).value === String(n)) console.log("  ✓ header " + n + " is parsed (" + (n % 7) + " ms)");
}
try {
  parseHeader("Host");
  console.log("  ✓ a header without a value\\n\\n301 passed, 0 failed");
} catch (error) {
  console.log("  ✗ a header without a value\\n    " + error.stack.split("\\n").slice(0, 2).join("\\n    "));
  console.log("\\n300 passed, 1 failed");
  process.exitCode = 1;
}
`;

function commit(work) {
  const who = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@example.com", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@example.com" };
  const when = { GIT_AUTHOR_DATE: "2026-11-16T10:00:00Z", GIT_COMMITTER_DATE: "2026-11-16T10:00:00Z" };
  const env = { PATH: process.env.PATH, HOME: work, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", ...who, ...when };
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    ["commit", "-q", "-m", "A server and its log"],
  ])
    execFileSync("git", args, { cwd: work, env });
}
