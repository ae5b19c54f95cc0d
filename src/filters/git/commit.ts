import { heading, type Line, standFor } from "../line.ts";

/** A commit as `git log` and `git show` introduce it. */
export interface Commit {
  /** What `--graph` draws before it. */
  readonly art: string;
  readonly hash: string;
  /** ` (HEAD -> main, tag: v1)`, or nothing. */
  readonly refs: string;
  readonly fields: Readonly<Partial<Record<Field, CommitText>>>;
  readonly head: Line;
  /** Lines among the fields that are none. They stay. */
  readonly strays: readonly Line[];
  readonly message: readonly CommitText[];
}

type Field = "Merge" | "Author" | "Date";

interface CommitText {
  readonly text: string;
  readonly line: Line;
}

const HEAD = /^((?:[|\\/_ .-]{0,200}\*[|\\/_ .-]{0,200})?)commit ([0-9a-f]{7,64})((?: [0-9a-f]{7,64}){0,20})( \(.+\))?$/;
const FIELD = /^([|\\/_ .-]{0,400})(Merge|Author|Date): +(\S.*)$/;
/** Fields of other formats, signatures, reflogs: known enough to go on. */
const OTHER = /^[|\\/_ .-]{0,400}(?:[A-Z][A-Za-z ]{2,20}: |gpg: )/;
const ART = /^[|\\/_ .*-]*$/;

/** Reads the commit that begins here. null: none does, or not in the form everybody knows. */
export function readCommit(lines: readonly Line[], from: number): { commit: Commit; next: number } | null {
  const head = lines[from]!;
  const found = HEAD.exec(head.text);
  if (!found || !OTHER.test(lines[from + 1]?.text ?? "")) return null;
  const [, art = "", hash = "", parents = "", refs = ""] = found;
  const fields: Partial<Record<Field, CommitText>> = {};
  const strays: Line[] = [];
  let column = art.length;
  let at = from + 1;
  for (; at < lines.length && !isEmpty(lines[at]!, art); at++) {
    const line = lines[at]!;
    const [, before = "", name, text = ""] = FIELD.exec(line.text) ?? [];
    if (name !== undefined && !Object.hasOwn(fields, name)) {
      fields[name as Field] = { text, line };
      if (name !== "Merge") column = before.length;
    } else if (OTHER.test(line.text) || FIELD.test(lines[at + 1]?.text ?? "")) strays.push(line);
    else break;
  }
  const message: CommitText[] = [];
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    if (isEmpty(line, art)) message.push({ text: "", line });
    else if (isMessage(line.text, column)) message.push({ text: line.text.slice(column + 4), line });
    else break;
  }
  return { commit: { art, hash: hash + parents, refs, fields, head, strays, message: trimmed(message) }, next: at };
}

const isEmpty = ({ text }: Line, art: string): boolean => text === "" || (art !== "" && ART.test(text));

const isMessage = (text: string, column: number): boolean => text.startsWith("    ", column) && ART.test(text.slice(0, column));

/** Blank lines at the ends are layout, and so are the lines of the graph that hold no text. */
function trimmed(message: readonly CommitText[]): CommitText[] {
  const first = message.findIndex(({ text }) => text !== "");
  const last = message.findLastIndex(({ text }) => text !== "");
  return first === -1 ? [] : message.slice(first, last + 1);
}

/** Long enough to be found in any repository, short enough to be read. */
const short = (hash: string): string => (hash.includes(" ") ? hash.split(" ").map(short).join(" ") : hash.slice(0, 10));

const TRAILER =
  /^(?:Signed-off-by|Co-authored-by|Change-Id|Reviewed-by|Reviewed-on|Tested-by|Acked-by|Reported-by|Cc|git-svn-id|Assisted-by|Generated-by):/i;
const WEIGHTY = /^(?:BREAKING[ -]CHANGE\b|This reverts commit |\(cherry picked from commit )/;

/** What a message says below its first line. */
export const bodyOf = ({ message }: Commit): CommitText[] => message.slice(1).filter(({ text }) => text !== "" && !TRAILER.test(text));

/** The one commit that was asked for: its head as git writes it, its message whole as far as there is room. */
export function oneCommit({ hash, refs, head, fields, strays, message }: Commit, room: number): Line[] {
  const said = (["Merge", "Author", "Date"] as const).flatMap((name) => {
    const field = fields[name];
    return field ? [standFor(`${name}: ${field.text}`, [field.line])] : [];
  });
  const shown = message.slice(0, room + 1).map(({ text, line }) => standFor(text, [line]));
  return [standFor(`commit ${hash}${refs}`, [head]), ...said, ...strays, ...shown, ...more(message.length - shown.length)];
}

type Precision = "day" | "minute";

/** What was told so far, and how exactly. */
export interface CommitsShown {
  readonly seen: Set<string>;
  last: string | undefined;
  readonly precision: Precision;
}

/** One commit of many: a line, below the name of its author. The address of an author is said once. */
export function commitLine(commit: Commit, room: number, told: CommitsShown): Line[] {
  const { art, hash, refs, head, fields, strays, message } = commit;
  const { Author, Merge, Date: date } = fields;
  const sameAuthor = Author?.text === told.last;
  const author = Author && (told.seen.has(Author.text) ? Author.text.replace(/ <[^<>]*>$/, "") : Author.text);
  if (Author) told.seen.add(Author.text);
  told.last = Author?.text;
  const stands = [head, Merge?.line, date?.line, message[0]?.line, sameAuthor ? Author?.line : undefined].filter(
    (line) => line !== undefined,
  );
  const text = [
    `${art}${short(hash)}${refs}`,
    date && shortDate(date.text, told.precision),
    message[0]?.text,
    Merge && `(merge ${Merge.text})`,
  ]
    .filter(Boolean)
    .join(" ");
  const body = bodyOf(commit);
  const shown = room === 0 ? body.filter(({ text }) => WEIGHTY.test(text)) : body.slice(0, room);
  return [
    ...(Author && !sameAuthor ? [standFor(`Author: ${author}`, [Author.line])] : []),
    standFor(text, stands),
    ...strays,
    ...shown.map(({ text, line }) => standFor(` ${text}`, [line])),
    ...(room === 0 ? [] : more(body.length - shown.length, " ")),
  ];
}

const more = (lines: number, indent = ""): Line[] => (lines > 0 ? [heading(`${indent}… ${lines} more lines`)] : []);

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A date in git's own form or in ISO's, as short as it can be said; any other as it is. */
function shortDate(date: string, precision: Precision): string {
  const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/.exec(date);
  const [, month = "", number = "", time = "", year] =
    /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{1,2}) (\d\d:\d\d):\d\d (\d{4})(?: [+-]\d{4})?$/.exec(date) ?? [];
  const at = MONTHS.indexOf(month) + 1;
  if (!iso && at === 0) return date;
  const day = iso ? iso[1]! : `${year}-${String(at).padStart(2, "0")}-${number.padStart(2, "0")}`;
  return precision === "day" ? day : `${day} ${iso ? iso[2]! : time}`;
}
