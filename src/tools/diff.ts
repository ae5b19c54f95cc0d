const MAX_CHARS = 512 * 1024;
const TIME_LIMIT_MS = 200;

/** The change, as `diff -u` would show it; undefined when it is too much to work out quickly. `before` is null for a new file, `after` for one that goes. */
export async function unifiedDiff(path: string, before: string | null, after: string | null): Promise<string | undefined> {
  if ((before?.length ?? 0) + (after?.length ?? 0) > MAX_CHARS) return undefined;
  const { createTwoFilesPatch } = await import("diff");
  const name = path.replace(/^\/+/, "");
  const patch = createTwoFilesPatch(
    before === null ? "/dev/null" : `a/${name}`,
    after === null ? "/dev/null" : `b/${name}`,
    before ?? "",
    after ?? "",
    undefined,
    undefined,
    {
      context: 3,
      timeout: TIME_LIMIT_MS,
    },
  );
  return patch?.replace(/^=+\n/, "");
}
