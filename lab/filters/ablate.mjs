// `node lab/filters/ablate.mjs FOLDER... [--only REGEX]`: what each mechanism of the filter saves. Each is switched off in turn, and recorded outputs
// are judged again. Printed are the points that the mechanism is worth in each folder, and the cases that gain or lose a fact without it.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { judge, loadFilter, sumUp } from "./score.mjs";

const { values: options, positionals: folders } = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } });
const filters = fileURLToPath(new URL("../../src/filters", import.meta.url));

/** Puts another function in the place of an exported one. */
const instead = (name, other) => (source) =>
  `${source.replace(new RegExp(`export (const|(?:async )?function) ${name}\\b`), `$1 ${name}SwitchedOff`)}\nexport const ${name} = ${other};`;
const same = (name) => instead(name, "(lines) => lines");
const nothing = (name) => instead(name, "() => null");
const exchange = (pattern, text) => (source) => source.replace(pattern, () => text);
const without = (pattern) => (source) => source.replace(pattern, "");

const switches = {
  "fold, all of it": { "fold/fold.ts": same("foldAlike") },
  "fold: path rows": { "fold/path-rows.ts": same("foldPathRows") },
  "fold: tables": { "fold/tables.ts": instead("findTables", "(lines) => [{ lines, table: null }]") },
  "fold: notes on columns": {
    "fold/column-notes.ts": instead("noteColumns", "(names) => ({ shown: [...names.keys()], names, note: '' })"),
  },
  "fold: JSON": { "fold/json.ts": nothing("foldJson") },
  "blocks: cutBlocks": {
    "blocks/cut.ts": instead("cutBlocks", "(lines) => [{ lines, as: null, opener: null, owners: null, closedBy: null }]"),
  },
  "blocks: openers": { "blocks/openers.ts": nothing("openingAt") },
  "blocks: woven": { "blocks/woven.ts": nothing("unweave") },
  "text: advice": { "text/narration.ts": same("withoutAdvice") },
  "text: steps": { "text/steps.ts": same("withoutSteps") },
  "text: progress": { "text/progress.ts": same("withoutProgress") },
  "text: repeats": { "text/repeats.ts": same("withoutRepeats") },
  "text: counters": { "text/counters.ts": nothing("withoutCounters") },
  "text: events": { "text/events.ts": nothing("failedEvents") },
  "text: headings": { "text/headings.ts": instead("headingsIn", "() => []") },
  "text: blame": { "text/blame.ts": nothing("blamedCommits") },
  "text: coverage": { "text/coverage.ts": same("shortCoverage") },
  "text: traces": { "text/traces.ts": instead("shortTraces", "(lines) => ({ lines, harmless: 0 })") },
  "text: log": { "text/log.ts": nothing("groupedLog") },
  "text: log, names aside": { "text/merge-names.ts": same("withNamesAside") },
  "text: matches": { "text/matches.ts": nothing("groupedMatches") },
  "text: sizes": { "text/sizes.ts": same("groupedSizes") },
  "text: paths": { "text/paths.ts": same("groupedPaths") },
  "text: listing": { "text/listing.ts": nothing("shortRows") },
  "text: names side by side": { "text/listing.ts": same("namesSideBySide") },
  "text: trees": { "text/tree.ts": nothing("indentedTree") },
  "runners: same bodies": { "runners/decide.ts": (source) => source.replace("withoutSameBodies(kept).map", "kept.map") },
  "strategy: test_summary": {
    "strategies/test-summary.ts": (source) => source.replace("if (READ.has(lines)) return null;", "return null;"),
  },
  "strategy: group_by_rule": {
    "strategies/group-by-rule.ts": (source) => source.replace("if (lines.some((line) => TOLD.has(line))) return null;", "return null;"),
  },
  ...eachFormat(),
  ...eachRunner(),
  ...eachRule(),
};

const base = await judgeAll({});
const head = folders.map((folder) => [basename(folder), sumUp(base.get(folder)).saved.toFixed(2)].join(" ").padStart(16));
console.log(["as it is".padEnd(44), ...head].join(""));
for (const [name, changes] of Object.entries(switches)) {
  if (options.only !== undefined && !new RegExp(options.only).test(name)) continue;
  let without;
  try {
    without = await judgeAll(changes);
  } catch (error) {
    console.log(name.padEnd(44), String(error.message).split("\n")[0].slice(0, 100));
    continue;
  }
  const worth = folders.map((folder) => sumUp(base.get(folder)).saved - sumUp(without.get(folder)).saved);
  const facts = folders.flatMap((folder) =>
    base
      .get(folder)
      .flatMap((row, n) => (row.whole === without.get(folder)[n].whole ? [] : [[row.whole ? "loses" : "wins", row.name].join(" ")])),
  );
  const most = folders
    .flatMap((folder) => base.get(folder).map((row, n) => ({ name: row.name, by: row.saved - without.get(folder)[n].saved })))
    .filter(({ by }) => Math.abs(by) > 0.02)
    .sort((a, b) => b.by - a.by)
    .slice(0, 4)
    .map(({ name, by }) => [name, (100 * by).toFixed(0)].join(" "));
  console.log([name.padEnd(44), ...worth.map((points) => points.toFixed(2).padStart(16)), "  ", [...facts, ...most].join(", ")].join(""));
}

async function judgeAll(changes) {
  const filter = await loadFilter(changes);
  const rows = new Map();
  for (const folder of folders) rows.set(folder, await judge(filter, folder, "^(?!gen_)"));
  return rows;
}

function eachFormat() {
  const files = readdirSync(join(filters, "diagnostics/formats")).filter((file) => !/^(?:index|preamble|rustc-body)|\.test\./.test(file));
  return Object.fromEntries(files.map((file) => [`format: ${file}`, { [`diagnostics/formats/${file}`]: withoutFormats }]));
}

function withoutFormats(source) {
  const formats = [...source.matchAll(/export const (\w+): DiagnosticFormat\b/g)].map(([, name]) => name);
  const hidden = source.replace(/export const (\w+): DiagnosticFormat\b/g, "const $1SwitchedOff: DiagnosticFormat");
  return [hidden, ...formats.map((name) => `export const ${name} = () => () => null;`)].join("\n");
}

function eachRunner() {
  const names = readdirSync(join(filters, "rules/runners"), { recursive: true }).map((file) => file.replace(".toml", ""));
  const empty = '{"always":[],"parts":{"run":{"rows":[]}}}';
  const change = (name) => exchange(new RegExp(`^  "${name}": \\{"?.*$`, "m"), `  "${name}": ${empty},`);
  return Object.fromEntries(names.filter((name) => name !== "frames").map((name) => [`runner: ${name}`, { "built-in.ts": change(name) }]));
}

function eachRule() {
  const text = readFileSync(join(filters, "built-in.ts"), "utf8");
  const names = [...text.matchAll(/\[\[rules\]\]\\nname = \\"([\w-]+)\\"/g)].map(([, name]) => name);
  return Object.fromEntries(
    names.map((name) => [
      `rule: ${name}`,
      {
        "built-in.ts": without(
          new RegExp(`\\[\\[rules\\]\\]\\\\nname = \\\\"${name}\\\\"(?:(?!\\[\\[rules\\]\\]).)*?(?=\\[\\[rules\\]\\]|\\\\n" \\}|" \\})`),
        ),
      },
    ]),
  );
}
