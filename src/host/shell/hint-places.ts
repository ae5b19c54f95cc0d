/** Most places of one message that are looked at. */
const MOST = 8;
const LONGEST_PATH = 4096;

/** Absolute paths that a program says are not there, as shells, C programs, Node, Python, Go and Java say it. */
export function missingPaths(text: string): readonly string[] {
  const found = new Set<string>();
  let from = 0;
  for (let n = 0; n < MOST; n++) {
    const at = text.slice(from).search(/no such file or directory|filenotfounderror|nosuchfileexception|filenotfoundexception/i);
    if (at < 0) break;
    const index = from + at;
    const before = pathBefore(text.slice(Math.max(0, index - LONGEST_PATH), index));
    const after = pathAfter(text.slice(index, index + LONGEST_PATH));
    for (const path of [before, after]) if (path !== null) found.add(path);
    from = index + 12;
  }
  return [...found];
}

/** `cat: /a/b: No such…`. Searched for by what stands behind it: a path may begin at every slash of a long line. */
function pathBefore(text: string): string | null {
  if (!/: $/.test(text)) return null;
  const line = text.slice(text.lastIndexOf("\n") + 1, -2).replace(/['"’]$/, "");
  const word = line.slice(Math.max(...[" ", "\t", ":", "'", '"', "‘"].map((sign) => line.lastIndexOf(sign))) + 1);
  return /^\/./.test(word) ? word : null;
}

/** `ENOENT: no such file or directory, open '/a/b'`, `[Errno 2] No such file or directory: '/a/b'`, `NoSuchFileException: /a/b`. */
function pathAfter(text: string): string | null {
  const line = text.slice(0, text.search(/\n|$/));
  const quoted = /^[^'"\n]{0,80}['"](\/[^'"\n]+)['"]/.exec(line)?.[1];
  return quoted ?? /^\w+Exception: (\/[^\s:(]+)/.exec(line)?.[1] ?? null;
}

/** The program that a shell, `env` or a runtime could not find. */
export function namedProgram(text: string): string | null {
  for (const sign of NOT_FOUND) {
    const name = sign.exec(text)?.[1];
    if (name !== undefined && /^[\w.+@-]{1,100}$/.test(name)) return name;
  }
  return null;
}

const NOT_FOUND: readonly RegExp[] = [
  /(?:^|[\s:])([^\s:]{1,100}): command not found/m,
  /^(?:\/bin\/)?(?:da|a)?sh: (?:line )?\d+: ([^\s:]{1,100}): not found/m,
  /env: ['‘"]?([^\s'’"]{1,100})['’"]?: No such file or directory/,
  /\bspawn ([^\s/]{1,100}) ENOENT/,
  /make(?:\[\d+\])?: ([^\s:/]{1,100}): No such file or directory/,
  /exec: "([^"/]{1,100})": executable file not found in \$PATH/,
];
