// Judges the filter as it stands in src/, or with parts of it switched off, over folders of recorded outputs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { withCorpus } from "../../bench/filters-corpus.mjs";
import { gatedSavings, hasGrown, score } from "../../bench/filters-score.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The filter, with some of its files changed before it is bundled: `{ "fold/rows.ts": (source) => changed }`. */
export async function loadFilter(changes = {}) {
  const folder = mkdtempSync(join(tmpdir(), "zeph-ablate-"));
  const outfile = join(folder, "filter.mjs");
  const changed = new Set();
  const switches = {
    name: "switches",
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/(?:filters|diagnostics)\/.*\.(?:ts|json)$/ }, async ({ path }) => {
        const name = Object.keys(changes).find((file) => path.endsWith(`/src/filters/${file}`) || path.endsWith(`/src/${file}`));
        if (name === undefined) return undefined;
        const { readFile } = await import("node:fs/promises");
        const before = await readFile(path, "utf8");
        const contents = changes[name](before);
        if (contents === before) throw new Error(`${name}: the switch changes nothing`);
        changed.add(name);
        return { contents, loader: path.endsWith(".json") ? "json" : "ts" };
      });
    },
  };
  try {
    await build({
      entryPoints: [join(root, "src/filters/output.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      outfile,
      banner: { js: 'import { createRequire as _cr } from "node:module"; const require = _cr(import.meta.url);' },
      plugins: [switches],
      logLevel: "silent",
    });
    for (const name of Object.keys(changes)) if (!changed.has(name)) throw new Error(`${name} is no file of the filter`);
    return (await import(pathToFileURL(outfile).href)).filterOutput;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A row for each case of the folders. */
export async function judge(filterOutput, folder, only) {
  return withCorpus(folder, (cases) =>
    cases
      .filter(({ name }) => only === undefined || new RegExp(only).test(name))
      .map((one) => {
        const raw = one.raw();
        const started = performance.now();
        const { text } = filterOutput({ command: one.command, raw, exitCode: one.exitCode });
        return { ...score(one, raw, text, performance.now() - started), text, command: one.command };
      }),
  );
}

/** The sums of a corpus that a decision needs. */
export function sumUp(rows) {
  return {
    saved: 100 * gatedSavings(rows),
    whole: rows.filter(({ whole }) => whole).length,
    cases: rows.length,
    grown: rows.filter(hasGrown).length,
  };
}
