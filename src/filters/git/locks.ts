import type { Line } from "../line.ts";

const LOCK =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.ya?ml|bun\.lock|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|flake\.lock|Podfile\.lock|pubspec\.lock|packages\.lock\.json)"?$/;
const MADE = /\.min\.(?:js|css|mjs)"?$|\.(?:js|css|mjs)\.map"?$|\.bundle\.js"?$/;

/** Which package, which version. Checksums, addresses and the rest of a lock file follow from them. */
const IDENTITY =
  /^[ +-]+(?:"?(?:name|version|specifier|lockfileVersion|rev|tag)"?\s{0,9}[:=]? ?["']?[\w^~>=<*.]|"node_modules\/|["']?@?[\w./-]{1,200}@[^\s{]{1,200}["']?(?:, |:$)|[\w.-]{1,200} \([^)]{1,80}\)$|[^\s"]{1,300} v\d[^\s/]{0,80} h1:|"[\w.@/-]{1,200}": ?\{$)/;

const LONG = 300;

/** Which lines of a file's diff are for people. null: it is an ordinary file. */
export function readable(path: string): ((line: Line) => boolean) | null {
  if (LOCK.test(path)) return ({ text }) => IDENTITY.test(text) || !/^[ +-]/.test(text);
  if (MADE.test(path)) return ({ text }) => text.length <= LONG;
  return null;
}
