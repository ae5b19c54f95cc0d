import type MiniSearch from "minisearch";
import type { ToolSpec } from "../core/ports/model.ts";
import { wordSet } from "../text/words.ts";
import { gist, parameterWords, type Ranking, rankingWords } from "./ranking.ts";

/** Ranks by the words a query and a tool share. The index is built once for each set of tools. */
export function createWordRanking(): Ranking {
  let indexed: { readonly tools: readonly ToolSpec[]; readonly index: MiniSearch } | null = null;
  return {
    async rank(query, tools) {
      if (!indexed || !isSame(indexed.tools, tools)) indexed = { tools: [...tools], index: await build(tools) };
      const found = indexed.index.search(gist(query));
      const best = found[0]?.score ?? 1;
      const scores = new Map(tools.map(({ name }) => [name, 0]));
      for (const { id, score } of found) scores.set(id, score / best);
      return { by: "bm25", scores };
    },
  };
}

/** Descriptions may come from anywhere; a page of one is enough to know a tool by. */
const MOST_TEXT = 4000;

async function build(tools: readonly ToolSpec[]): Promise<MiniSearch> {
  const { default: Index } = await import("minisearch");
  const index = new Index({
    fields: ["name", "description", "parameters", "texts"],
    tokenize: rankingWords,
    processTerm: (word) => (COMMON.has(word) ? null : stem(word)),
    searchOptions: { boost: { name: 2, parameters: 0.5, texts: 0.5 } },
  });
  for (const { name, description, parameters } of new Map(tools.map((tool) => [tool.name, tool])).values()) {
    const { names, texts } = parameterWords(parameters);
    index.add({
      id: name,
      name: name.slice(0, MOST_TEXT),
      description: description.slice(0, MOST_TEXT),
      parameters: names.join(" ").slice(0, MOST_TEXT),
      texts: texts.join(" ").slice(0, MOST_TEXT),
    });
  }
  return index;
}

function isSame(a: readonly ToolSpec[], b: readonly ToolSpec[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, n) => {
      const other = b[n]!;
      return one.name === other.name && one.description === other.description && one.parameters === other.parameters;
    })
  );
}

const COMMON = wordSet(
  "a an and are as at be by can could do does for from has have how i if in into is it its me my of on or our please that the their then there this to us was we what when where which will with would you your",
);

/** `file` for files, `creat` for create, created and creating: enough for English names, and harmless elsewhere. */
function stem(word: string): string {
  const base = word
    .replace(/(?<=..)ies$/, "y")
    .replace(/(?<=sh|ch|x|z|ss)es$/, "")
    .replace(/(?<=..[^su])s$/, "");
  if (base.length < 5) return base;
  const bare = base.replace(/(?<=...)(?:ing|ed|ion|ions)$/, "").replace(/(?<=...)e$/, "");
  return bare.replace(/([bdgmnprt])\1$/, "$1");
}
