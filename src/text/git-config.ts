/** One setting of a file of git's settings. */
export interface GitConfigEntry {
  /** `core.hookspath`, `remote.Origin.url`: section and name in small letters, what stands between them as it was written. */
  readonly key: string;
  readonly value: string;
}

/** The settings of such a file, in their order; null where git would refuse the file. Follows no includes. */
export function parseGitConfig(text: string): GitConfigEntry[] | null {
  const found: GitConfigEntry[] = [];
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  let section = "";
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(BETWEEN);
    if (at >= source.length) return found;
    const head = take(SECTION);
    if (head) {
      const [, name = "", sub] = head;
      section = `${name.toLowerCase()}.${sub === undefined ? "" : `${sub.replace(/\\(.)/g, "$1")}.`}`;
      continue;
    }
    const name = take(NAME)?.[0];
    if (name === undefined) return null;
    take(BLANKS);
    const key = `${section}${name.toLowerCase()}`;
    if (take(EQUALS)) {
      const value = readValue(source, at);
      if (value === null) return null;
      at = value.end;
      found.push({ key, value: value.text });
    } else if (at >= source.length || source[at] === "\n") {
      // A name alone is a switch that is on.
      found.push({ key, value: "true" });
    } else return null;
  }
}

const BETWEEN = /(?:\s|[#;][^\n]*)*/y;
const BLANKS = /[ \t]*/y;
const SECTION = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
const NAME = /[A-Za-z][A-Za-z0-9-]*/y;
const EQUALS = /=[ \t]*/y;
const ESCAPED: Readonly<Record<string, string>> = { '"': '"', "\\": "\\", n: "\n", t: "\t", b: "\b", "\n": "" };

/** Up to the end of the line, or of the last line that a backslash continues. Null where a quote stays open or an escape is none. */
function readValue(source: string, from: number): { readonly text: string; readonly end: number } | null {
  let text = "";
  /** So much of the text stays, whatever blanks follow. */
  let kept = 0;
  let isQuoted = false;
  for (let at = from; ; at++) {
    const sign = source[at];
    if (sign === undefined || sign === "\n") return isQuoted ? null : { text: text.slice(0, kept), end: at };
    if (!isQuoted && (sign === "#" || sign === ";")) {
      const end = source.indexOf("\n", at);
      return { text: text.slice(0, kept), end: end < 0 ? source.length : end };
    }
    if (sign === '"') {
      isQuoted = !isQuoted;
      continue;
    }
    if (sign === "\\") {
      const written = ESCAPED[source[++at] ?? "\n"];
      if (written === undefined) return null;
      text += written;
      if (written !== "") kept = text.length;
      continue;
    }
    const isBlank = !isQuoted && /\s/.test(sign);
    if (isBlank && text === "") continue;
    text += sign;
    if (!isBlank) kept = text.length;
  }
}

/** The last value of a setting, which is the one that counts. */
export const lastSetting = (entries: readonly GitConfigEntry[], key: string): string | undefined =>
  entries.findLast((entry) => entry.key === key)?.value;

export const isSettingOn = (value: string | undefined): boolean => value !== undefined && /^(?:true|yes|on|[1-9]\d*)$/i.test(value);
