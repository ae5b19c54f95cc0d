import { unifiedDiff } from "../../tools/diff.ts";

/** What would change in a file of a client's settings, for a person to look at. */
export const changeText = async (path: string, before: string | null, after: string | null): Promise<string> =>
  (await unifiedDiff(path, before, after)) ?? `${path} is too long to show what changes in it.\n`;
