import { ToolError } from "../../../core/error.ts";
import type { Drift } from "../clients.ts";

/** Half of it is enough. Much less is not: who writes two definitions can look for two that share a short one. */
const HASH_LENGTH = 32;
/** In place of a hash where there is nothing to hash. */
const GONE = "gone";

export const shortHash = (definition: { readonly hash: string } | undefined): string => definition?.hash.slice(0, HASH_LENGTH) ?? GONE;

/** Which of what differs is meant by these words: `tool`, or `tool@hash` for what was seen. All of it for none. Throws when it is no longer what was seen. */
export function chosenDrift(drift: readonly Drift[], words: readonly string[] | undefined): readonly Drift[] {
  if (words === undefined) return drift;
  return words.flatMap((word) => {
    // What ends like a hash is one, also where a tool is named so.
    const [, tool = word, hash] = WITH_HASH.exec(word) ?? [];
    const one = drift.find((other) => other.tool === tool);
    if (one !== undefined && hash !== undefined && hash !== one.hash) throw otherThanSeen(one);
    return one ?? [];
  });
}

const WITH_HASH = new RegExp(`^(.+)@([0-9a-f]{${HASH_LENGTH}}|${GONE})$`, "s");

const otherThanSeen = ({ server, tool }: Drift) =>
  new ToolError(
    "policy_blocked",
    `"${tool}" of the MCP server "${server}" is no longer what you saw. Nothing was agreed to; \`zeph mcp diff ${server}\` shows it as it is now.`,
  );
