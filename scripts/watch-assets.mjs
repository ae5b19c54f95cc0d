// Puts style and scripts of the pages of `zeph watch` into a module, so that nothing has to be found and read at run time. The build calls it, and vitest before the tests.
import { readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../src/front/watch/assets/", import.meta.url);
const target = new URL("../src/front/watch/assets/built-in-assets.ts", import.meta.url);
const FILES = {
  "style.css": "text/css; charset=utf-8",
  "client.js": "text/javascript; charset=utf-8",
  "door.js": "text/javascript; charset=utf-8",
};

export function setup() {
  const entries = Object.entries(FILES).map(
    ([file, type]) => `  { path: ${JSON.stringify(`/${file}`)}, type: ${JSON.stringify(type)}, text: ${JSON.stringify(read(file))} },`,
  );
  const text = `// Made by scripts/watch-assets.mjs.\nexport const WATCH_ASSETS: readonly { readonly path: string; readonly type: string; readonly text: string }[] = [\n${entries.join("\n")}\n];\n`;
  if (current() !== text) writeFileSync(target, text);
}

const read = (file) => readFileSync(new URL(file, folder), "utf8");

function current() {
  try {
    return readFileSync(target, "utf8");
  } catch {
    return null;
  }
}
