import type { ToolSpec } from "../core/ports/model.ts";
import type { Ranked } from "./ranking.ts";
import type { Included } from "./reason.ts";

export interface ToolChoice {
  readonly query: string;
  /** In the order of the registry, which decides between equals. */
  readonly tools: readonly ToolSpec[];
  readonly alwaysOn: ReadonlySet<string>;
  /** Tools that others are not compared with: they are there where anything is chosen. */
  readonly isOwn: (tool: string) => boolean;
  readonly minDescriptionWords: number;
  /** 0 takes all. */
  readonly topK: number;
  /** Null where nothing ranks: then all are taken. */
  readonly ranked: Ranked | null;
  /** What is added to a tool's score. */
  readonly boost: (tool: string) => number;
  /** Other names of tools: to say one is to name the tool. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Tools that stay, whatever is asked. */
  readonly kept: ReadonlyMap<string, "used" | "found">;
}

/** The tools that fit what was asked, each with the first reason that speaks for it. Those left out are not in it. */
export function selectTools(choice: ToolChoice): Map<string, Included> {
  const { tools, alwaysOn, ranked, kept, minDescriptionWords } = choice;
  const named = namedIn(choice.query, tools, choice.aliases);
  const withoutRank = ({ name, description }: ToolSpec): Included | undefined =>
    [
      alwaysOn.has(name) && "always_on",
      named.has(name) && "named",
      ranked && choice.isOwn(name) && "own",
      ranked && hasFewerWords(description, minDescriptionWords) && "short",
      ranked?.by === "embeddings" && !ranked.scores.has(name) && "no_embedding",
    ].find((one): one is Included => typeof one === "string");
  // What is there anyway takes no place from those that have to be ranked.
  const byRank = ranked
    ? top(
        choice,
        tools.filter((tool) => withoutRank(tool) === undefined),
        ranked.scores,
      )
    : null;
  const chosen = new Map<string, Included>();
  for (const tool of tools) {
    const { name } = tool;
    const reason = withoutRank(tool) ?? (byRank ? byRank.get(name) : "full_set") ?? kept.get(name);
    if (reason) chosen.set(name, reason);
  }
  return chosen;
}

/** The best by score, what they prefer counted before the cut. A tool that gets in only by that says so. */
function top({ topK, boost }: ToolChoice, tools: readonly ToolSpec[], scores: ReadonlyMap<string, number>): Map<string, "rank" | "boost"> {
  const best = (score: (name: string) => number) => {
    const scored = tools.filter(({ name }) => scores.has(name)).map(({ name }) => ({ name, score: score(name) }));
    if (topK === 0) return scored;
    return scored.sort((a, b) => b.score - a.score).slice(0, topK);
  };
  const alone = new Set(best((name) => scores.get(name)!).map(({ name }) => name));
  const boosted = best((name) => scores.get(name)! + boost(name));
  return new Map(boosted.map(({ name }) => [name, alone.has(name) ? "rank" : "boost"]));
}

/** The tools whose names stand in a text for themselves: `git_log` is not in `my_git_log2`. Capitals do not matter. */
export function namedIn(
  text: string,
  tools: readonly Pick<ToolSpec, "name">[],
  aliases: ReadonlyMap<string, string> = new Map(),
): Set<string> {
  const lower = text.slice(0, MOST_TEXT).toLowerCase();
  const words = new Set(lower.split(/[^\p{L}\p{N}_]+/u));
  const isSaid = (name: string) => (/^\w+$/.test(name) ? words.has(name.toLowerCase()) : stands(name, lower));
  const meant = new Set([...aliases].filter(([alias]) => isSaid(alias)).map(([, name]) => name));
  return new Set(tools.map(({ name }) => name).filter((name) => meant.has(name) || isSaid(name)));
}

const MOST_TEXT = 100_000;

/** For names with other signs in them. */
function stands(name: string, text: string): boolean {
  const wanted = name.toLowerCase();
  if (wanted === "") return false;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const around = [text.slice(0, at).at(-1) ?? "", text.charAt(at + wanted.length)];
    if (!around.some((sign) => /[\p{L}\p{N}_]/u.test(sign))) return true;
  }
  return false;
}

function hasFewerWords(text: string, words: number): boolean {
  return text.slice(0, 10_000).trim().split(/\s+/, words).filter(Boolean).length < words;
}
