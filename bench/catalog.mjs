// `npm run bench:catalog`: what choosing tools saves, whether the right one is still offered, and how long it takes. `--write` puts the table into docs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { estimateTokenCount } from "tokenx";
import { createRuntime } from "../dist/lib/index.js";
import { createCatalogue } from "../dist/modules/catalog/catalogue.js";
import { tafcConfig, toolFilterConfig } from "../dist/modules/catalog/config.js";
import { openMeaningRanking } from "../dist/modules/catalog/meaning-ranking.js";
import { createMixedRanking } from "../dist/modules/catalog/mixed-ranking.js";
import { createWordRanking } from "../dist/modules/catalog/word-ranking.js";
import { createPackagedEmbedder } from "../dist/modules/models/packaged-embedding.js";
import { QUERIES } from "./catalog-queries.mjs";
import { OTHERS } from "./catalog-tools.mjs";
import { median, timed } from "./measure.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const verbose = process.argv.includes("--verbose");
const never = new AbortController().signal;
const words = createWordRanking();
const meaning = openMeaningRanking({
  embedder: async () => embedder,
  patienceMs: 600_000,
  otherwise: { rank: () => Promise.reject(new Error("The packaged embeddings failed.")) },
  warn: (message) => {
    throw new Error(message);
  },
});
const embedder = createPackagedEmbedder();

const TOOLS = [...(await builtIn()), ...OTHERS];
const ALL = [...QUERIES.first, ...QUERIES.later];
for (const { right } of ALL) if (!TOOLS.some(({ name }) => name === right)) throw new Error(`No tool is named ${right}.`);
if (TOOLS.length < 60 || ALL.length < 40) throw new Error("There are too few tools or queries to say anything.");

const full = tokens(TOOLS);
const rows = [{ how: "all tools", tokens: full, first: QUERIES.first.length, later: QUERIES.later.length }];
for (const [how, ranking] of [
  ["BM25", words],
  ["embeddings", meaning],
  ["both", createMixedRanking(words, meaning)],
])
  for (const topK of [5, 10, 15]) rows.push(await measure(`${how}, top ${topK}`, ranking, topK));
const times = await speed();
const holds = times.warm <= 5;
process.stderr.write(`${holds ? "ok  " : "MISS"} 300 tools ranked by words: ${times.warm.toFixed(2)} ms (limit 5 ms)\n`);
const table = report();
process.stdout.write(table);
if (process.argv.includes("--write")) for (const file of ["docs/catalogue.md", "docs/performance.md"]) write(file, table);
process.exitCode = holds ? 0 : 1;

async function builtIn() {
  const base = mkdtempSync(join(tmpdir(), "zeph-catalog-"));
  const zeph = await createRuntime({ cwd: base, store: "memory", config: { audit: { path: join(base, "audit.jsonl") } } });
  const tools = zeph.tools().map(({ name, description, parameters }) => ({ name, description, parameters }));
  await zeph.close();
  rmSync(base, { recursive: true });
  return tools;
}

/** Each query is a conversation of its own: nothing is offered because of an earlier one. */
async function measure(how, ranking, top_k) {
  const filter = toolFilterConfig().parse({ enabled: true, top_k });
  const options = { tools: () => TOOLS, filter, tafc: tafcConfig().parse({}), ranking, dependencies: null, warn: () => {} };
  const sizes = [];
  const right = async (queries) => {
    const missed = [];
    for (const { query, right } of queries) {
      const catalogue = createCatalogue(options);
      await catalogue.forTurn({ query, conversation: query, model: {} }, never);
      const offered = catalogue.tools();
      sizes.push(tokens(offered));
      if (!offered.some(({ name }) => name === right)) missed.push(right);
    }
    if (verbose) process.stderr.write(`${how} misses ${missed.join(", ") || "nothing"}\n`);
    return queries.length - missed.length;
  };
  const [first, later] = [await right(QUERIES.first), await right(QUERIES.later)];
  return { how, tokens: Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length), first, later };
}

/** 300 tools, none like the other, and the queries from above. */
async function speed() {
  const many = Array.from({ length: 300 }, (_, n) => {
    const { name, description, parameters } = TOOLS[n % TOOLS.length];
    const copy = Math.floor(n / TOOLS.length);
    return { name: copy === 0 ? name : `${name}_${copy}`, description: `${description} (${copy})`, parameters };
  });
  const cold = [];
  for (let n = 0; n < 10; n++) {
    const ranking = createWordRanking();
    cold.push(await timed(() => ranking.rank(ALL[n].query, many, never)));
  }
  const ranking = createWordRanking();
  await ranking.rank("warm up", many, never);
  const warm = [];
  for (let round = 0; round < 5; round++) for (const { query } of ALL) warm.push(await timed(() => ranking.rank(query, many, never)));
  const filter = toolFilterConfig().parse({ enabled: true });
  const tafc = tafcConfig().parse({ enabled: true });
  const turn = [];
  for (const { query } of ALL) {
    const catalogue = createCatalogue({ tools: () => many, filter, tafc, ranking, dependencies: null, warn: () => {} });
    turn.push(
      await timed(async () => {
        await catalogue.forTurn({ query, conversation: "", model: {} }, never);
        catalogue.tools();
      }),
    );
  }
  const one = [];
  for (const { query } of ALL.slice(0, 20)) one.push(await timed(() => embedder.embed([query], never)));
  return { cold: median(cold), warm: median(warm), worst: Math.max(...warm), turn: median(turn), embed: median(one) };
}

function tokens(tools) {
  return estimateTokenCount(JSON.stringify(tools.map(({ name, description, parameters }) => ({ name, description, parameters }))));
}

function report() {
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}`;
  const { first, later } = QUERIES;
  const lines = rows.map(
    (row) =>
      `| ${row.how} | ${row.tokens.toLocaleString("en")} | ${Math.round((1 - row.tokens / full) * 100)} % | ${row.first} of ${first.length} | ${row.later} of ${later.length} |`,
  );
  const date = new Date().toISOString().slice(0, 10);
  return `
${TOOLS.length} tools; each query is the first of its conversation. Tokens are estimated with tokenx, the mean of all queries. The first queries were known while the
ranking was improved, the later ones were not. Measured ${date} on ${machine}; embeddings: \`${embedder.id}\`.

| Tools offered | Tokens of the list | Saved | Right tool offered, first queries | later queries |
|---|---|---|---|---|
${lines.join("\n")}

| 300 tools | Time |
|---|---|
| ranked by words, p50 (limit 5 ms) | ${times.warm.toFixed(2)} ms |
| ranked by words, the slowest of ${ALL.length * 5} | ${times.worst.toFixed(1)} ms |
| ranked by words for the first time, with building the index | ${times.cold.toFixed(0)} ms |
| a whole turn's choice, ranked by words, p50 | ${times.turn.toFixed(2)} ms |
| one query embedded by the packaged weights | ${times.embed.toFixed(0)} ms |

`;
}

function write(name, text) {
  const file = join(root, name);
  const page = readFileSync(file, "utf8");
  writeFileSync(file, page.replace(/(<!-- bench:catalog -->\n)[\s\S]*?(<!-- \/bench:catalog -->)/, `$1${text}$2`));
}
