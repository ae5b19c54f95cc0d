import type { Walls } from "../../core/ports/walls.ts";

/** What a message usually means behind walls, and the setting that decides it. */
const SIGNS: readonly { readonly sign: RegExp; readonly hint: string; readonly only?: Walls["backend"] }[] = [
  { sign: /read-only file system/i, hint: "the path may be read-only behind the walls (tools.sandbox.allow_write)" },
  {
    sign: /network is unreachable|could not resolve host|temporary failure in name resolution|name or service not known|getaddrinfo (?:EAI_AGAIN|ENOTFOUND)/i,
    hint: "the network is closed behind the walls (tools.sandbox.allow_network)",
  },
  { sign: /operation not permitted/i, hint: "the walls forbid this system call" },
  {
    sign: /permission denied/i,
    hint: "Landlock lets commands reach only what is listed (tools.sandbox.allow_read, tools.sandbox.allow_write)",
    only: "landlock",
  },
  { sign: /device or resource busy/i, hint: ".git, .zeph and editor settings are protected from commands" },
];

/** A guess, and it says so. Only for commands that failed behind walls. */
export function wallHint(stderr: string, exitCode: number, walls: Walls, existsOutside: (path: string) => boolean): string | undefined {
  if (exitCode === 0 || walls.backend === "none") return undefined;
  const seen = SIGNS.find(({ sign, only = walls.backend }) => only === walls.backend && sign.test(stderr));
  if (seen) return `Perhaps a wall: ${seen.hint}.`;
  const missing = missingPath(stderr);
  if (missing && existsOutside(missing))
    return `Perhaps a wall: ${missing} exists but is not visible to commands (tools.sandbox.allow_read).`;
  return undefined;
}

/** Searched for by what stands behind it: a path may begin at every slash of a long line. */
function missingPath(stderr: string): string | undefined {
  const at = stderr.search(/: No such file or directory/i);
  if (at < 0) return undefined;
  const before = stderr.slice(Math.max(0, at - LONGEST_PATH), at).replace(/['"]$/, "");
  const word = before.slice(Math.max(...[" ", "\n", "\t", "\r", ":", "'", '"'].map((sign) => before.lastIndexOf(sign))) + 1);
  const start = word.indexOf("/");
  return start < 0 || start === word.length - 1 ? undefined : word.slice(start);
}
const LONGEST_PATH = 4096;
