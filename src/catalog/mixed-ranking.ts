import type { Ranked, Ranking } from "./ranking.ts";

/** By words and by meaning, half and half: each finds tools that the other misses. Where meaning fails, by words alone. */
export function createMixedRanking(words: Ranking, meaning: Ranking): Ranking {
  return {
    async rank(query, tools, signal) {
      const [said, meant] = await Promise.all([words.rank(query, tools, signal), meaning.rank(query, tools, signal)]);
      if (meant.by !== "embeddings") return meant;
      const best = Math.max(...meant.scores.values()) || 1;
      const scores: Ranked["scores"] = new Map(
        [...meant.scores].map(([name, score]) => [name, (score / best + (said.scores.get(name) ?? 0)) / 2]),
      );
      return { by: "embeddings", scores };
    },
  };
}
