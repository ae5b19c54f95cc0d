import { attempt } from "../../../text/attempt.ts";

const MOST_CHARS = 256 * 1024;
const TIME_LIMIT_MS = 200;

/** What differs between two definitions of a tool, as a unified diff; null where it is too much to work out. */
export async function definitionDiff(tool: string, before: string, after: string): Promise<string | null> {
  const [old, fresh] = [spread(before), spread(after)];
  if (old.length + fresh.length > MOST_CHARS) return null;
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(`${tool}, agreed to`, `${tool}, offered now`, old, fresh, undefined, undefined, {
    context: 3,
    timeout: TIME_LIMIT_MS,
  });
  return patch?.replace(/^=+\n/, "") ?? null;
}

/** JSON with a line for each value, so that what differs can be seen; anything else as it is. */
export const spread = (definition: string): string => `${attempt(() => JSON.stringify(JSON.parse(definition), null, 2), definition)}\n`;
