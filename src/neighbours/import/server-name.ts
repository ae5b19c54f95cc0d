/** The name of a server as ours may be: letters, digits, single - and _, at most 32. */
export const serverName = (written: string): string =>
  written
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/_{2,}/g, "_")
    .replace(/^[-_]+/, "")
    .slice(0, 32)
    .replace(/[-_]+$/, "");
