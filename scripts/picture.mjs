// Draws docs/session.svg from a real run of `zeph run` in a pseudo-terminal. With --check it compares the words of the picture with those of a new run.
// Only the model is scripted. The temporary folders are shown as ~/greeter and ~, and ids as one fixed id.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const PICTURE = join(ROOT, "docs/session.svg");
/** So wide that no line is broken, however long the path of the temporary folder is. */
const COLUMNS = 160;

const TASK = "Make the greeting polite and run the tests.";
const FILES = {
  "greeter/package.json": '{ "type": "module" }\n',
  "greeter/src/greet.js": 'export function greet(name) {\n  return "Hello " + name;\n}\n',
  "greeter/greet.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "./src/greet.js";

test("greet is polite", () => assert.equal(greet("Ada"), "Good day, Ada."));
for (let n = 1; n <= 40; n++) test(\`greet knows guest \${n}\`, () => assert.match(greet(\`guest \${n}\`), /guest/));
`,
  "home/.ssh/id_ed25519": "a private key\n",
};
/** What the model says, and the tool it calls then. */
const TURNS = [
  ["I read the code first.", "read", { path: "src/greet.js" }],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a file.
  ["I change the greeting.", "edit", { path: "src/greet.js", old_string: '"Hello " + name', new_string: "`Good day, ${name}.`" }],
  ["Now I run the tests.", "bash", { command: "node --test" }],
  ["I look for a key to publish with.", "bash", { command: "cat ~/.ssh/id_ed25519" }],
  ["I try as another user.", "bash", { command: "sudo cat ~/.ssh/id_ed25519" }],
  ["The greeting is polite and all tests pass. I found no key, so nothing is published."],
];

/** The session as lines of styled pieces: `[{ text, style }]`. Needs bubblewrap and the program script. */
async function recordSession() {
  const box = realpathSync(mkdtempSync(join(tmpdir(), "zeph-picture-")));
  try {
    const env = furnish(box);
    const shown = [];
    for (const words of [`run "${TASK}"`, "audit verify"]) {
      const printed = await runInTerminal(words, { cwd: join(box, "greeter"), env });
      shown.push(
        [
          { text: "$ ", style: "dim" },
          { text: `zeph ${words}`, style: "bold" },
        ],
        ...readScreen(settle(printed, box)),
        [],
      );
    }
    return shown.slice(0, -1);
  } finally {
    rmSync(box, { recursive: true, force: true });
  }
}

function furnish(box) {
  const put = (name, text) => {
    mkdirSync(dirname(join(box, name)), { recursive: true });
    writeFileSync(join(box, name), text);
  };
  for (const [name, text] of Object.entries(FILES)) put(name, text);
  const turns = TURNS.map(([text, name, args], n) => [
    { type: "text", text },
    ...(name ? [{ type: "request", request: { id: `call-${n + 1}`, name, args } }] : []),
  ]);
  put("turns.json", JSON.stringify(turns));
  const toolchains = process.execPath.startsWith("/usr/") ? [] : [dirname(process.execPath)];
  put(
    "config/zeph/config.toml",
    `[[llm.providers]]\nname = "script"\ntype = "script"\nmodel = ${JSON.stringify(join(box, "turns.json"))}\n\n[tools.sandbox]\ntoolchains = ${JSON.stringify(toolchains)}\n`,
  );
  return {
    PATH: process.env.PATH,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    HOME: join(box, "home"),
    XDG_CONFIG_HOME: join(box, "config"),
    XDG_STATE_HOME: join(box, "state"),
  };
}

/** Runs `zeph` with these words, answers its question with "once", and returns everything that was printed. */
function runInTerminal(words, { cwd, env }) {
  const command = `stty cols ${COLUMNS} rows 50; exec '${process.execPath}' '${join(ROOT, "bin/zeph.cjs")}' ${words}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env });
  let printed = "";
  let hasAnswered = false;
  child.stdout.on("data", (chunk) => {
    printed += chunk;
    if (hasAnswered || !printed.includes("[N]o: ")) return;
    hasAnswered = true;
    child.stdin.write("o\r");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(printed));
  });
}

/** What differs from run to run and says nothing: where the folders lie, and ids. */
function settle(printed, box) {
  const text = printed
    .replaceAll(join(box, "greeter"), "~/greeter")
    .replaceAll(join(box, "state"), "~/.local/state")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "4f1d2c3b-6a5e-4b7d-9c8a-0e1f2a3b4c5d");
  return text.replace(/(--continue )[0-9a-f]{8}\b/, "$14f1d2c3b");
}

const STYLES = { 1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow", 35: "magenta", 36: "cyan" };

/** As much of a terminal as the session needs: styles, columns, and erasing. */
function readScreen(printed) {
  const rows = [[]];
  let column = 0;
  let style = "";
  const ESC = String.fromCharCode(27);
  const pieces = printed.split(new RegExp(`(${ESC}\\[[0-9;?]*[A-Za-z]|\\r|\\n)`));
  for (const piece of pieces) {
    const row = rows.at(-1);
    const sequence = piece.startsWith(ESC) ? { letter: piece.at(-1), number: Number.parseInt(piece.slice(2), 10) || 0 } : null;
    if (piece === "\n") rows.push([]);
    else if (piece === "\r") column = 0;
    else if (sequence?.letter === "m") style = STYLES[sequence.number] ?? "";
    else if (sequence?.letter === "G") column = Math.max(0, sequence.number - 1);
    else if (sequence?.letter === "J" || sequence?.letter === "K") row.length = column;
    else if (!sequence)
      for (const letter of piece) {
        while (row.length < column) row.push({ letter: " ", style: "" });
        row[column++] = { letter, style };
      }
    if (piece === "\n") column = 0;
  }
  const lines = rows.map(joinStyles);
  while (lines.length > 0 && lines.at(-1).length === 0) lines.pop();
  return lines;
}

function joinStyles(row) {
  const pieces = [];
  for (const { letter, style } of row) {
    if (pieces.at(-1)?.style === style) pieces.at(-1).text += letter;
    else pieces.push({ text: letter, style });
  }
  return pieces;
}

const LETTER = 8.4;
const LINE = 19;
const EDGE = 18;
const COLOURS = { dim: "#8b949e", red: "#ff7b72", green: "#7ee787", yellow: "#e3b341", magenta: "#d2a8ff", cyan: "#79c0ff" };

function drawPicture(lines) {
  const columns = Math.max(...lines.map((pieces) => pieces.reduce((sum, { text }) => sum + text.length, 0)));
  const width = Math.round(columns * LETTER + 2 * EDGE);
  const height = lines.length * LINE + 2 * EDGE;
  const rows = lines.map((pieces, n) => {
    const spans = pieces.map(({ text, style }) => {
      const look = style === "bold" ? ' font-weight="bold"' : COLOURS[style] ? ` fill="${COLOURS[style]}"` : "";
      return `<tspan${look}>${escapeXml(text)}</tspan>`;
    });
    return `  <text x="${EDGE}" y="${EDGE + 14 + n * LINE}" xml:space="preserve">${spans.join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>A session with zeph run</title>
  <desc>Made by scripts/picture.mjs from a real run. Only the model is scripted.</desc>
  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
${rows.join("\n")}
  </g>
</svg>
`;
}

const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The words of a picture, without what depends on the machine's speed and on the version of Node. */
function readPicture(svg) {
  const rows = svg.split("\n").filter((line) => line.includes("<text "));
  return rows.map((row) =>
    row
      .replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
      .trim()
      .replace(/\b\d+(\.\d+)? m?s\b/g, "some time")
      .replace(/\d+ -> \d+ lines/, "many -> few lines"),
  );
}

const made = drawPicture(await recordSession());
if (!process.argv.includes("--check")) writeFileSync(PICTURE, made);
const [now, stored] = [made, readFileSync(PICTURE, "utf8")].map(readPicture);
if (now.join("\n") !== stored.join("\n")) {
  console.error(`docs/session.svg shows another session than the one that ran now. npm run picture draws it again.\n\n${now.join("\n")}`);
  process.exitCode = 1;
}
