import type { Line } from "../../line.ts";

const MARKED = /^ {0,12}\| +[\s|]*[\^~_-]|^ {0,12}\| [\s|]+\S/;
const LINT = /`(?:#\[(?:warn|deny|forbid)\()?(?:-[DWF] )?([\w:-]{3,80})(?:\)\])?`.*(?:on by default|implied by|lint level)/;
const CLIPPY = /rust-clippy\/\S*#([\w-]{3,80})$/;
/** Said of every error of its kind, or of none in particular. */
const EMPTY =
  /^(?:for (?:further|more) information|`#\[|`-[DWF] |to override |this error originates in|the question mark operation|all struct fields|required (?:for|by|because)|the following other types|the full (?:name|type)|consult |see |if you |the lint level)/;

/** `ptr_arg`: the lint that spoke, where it is named. */
export function ruleIn(body: readonly Line[]): string {
  for (const { text } of body) {
    const rule = CLIPPY.exec(text)?.[1] ?? LINT.exec(text)?.[1];
    if (rule) return rule.replace("clippy::", "");
  }
  return "";
}

/** What is written beside the marks: `expected i32, found i64`. */
export function labelsIn(body: readonly Line[]): string[] {
  const labels: string[] = [];
  for (const { text } of body) {
    if (/^(?:note|help): |^ {1,12}= /.test(text)) break;
    if (!MARKED.test(text)) continue;
    const label = text.replace(/^[\s|^~_+-]+/, "");
    if (/[A-Za-z]{2}/.test(label)) labels.push(label);
  }
  return labels.reverse().slice(0, 6).reverse();
}

/** Notes and proposals, in short: what is expected, what to write instead. */
export function remarksIn(body: readonly Line[]): string[] {
  const remarks: string[] = [];
  for (const [n, { text }] of body.entries()) {
    const [, word, sub] = /^(note|help): (.+)$/.exec(text) ?? [];
    const [, foot] = /^ {1,12}= (?:note|help): (.+)$/.exec(text) ?? [];
    if (sub !== undefined) remarks.push(`${word}: ${sub}${inserted(body, n + 1)}`);
    else if (foot !== undefined && !EMPTY.test(foot)) remarks.push(`${foot}${wanted(body[n + 1])}`);
  }
  return remarks;
}

/** `expected enum …` is followed by `   found type …`. */
const wanted = (line: Line | undefined): string => (line && /^ {6,}(?:found|to) /.test(line.text) ? `, ${line.text.trim()}` : "");

/** What a proposal would insert: the characters above the plus signs, or the line after a plus. */
function inserted(body: readonly Line[], from: number): string {
  for (let n = from; n < body.length && !/^(?:note|help): /.test(body[n]!.text); n++) {
    const added = /^ {0,12}\d{1,7} \+ (.{1,400})$/.exec(body[n]!.text)?.[1];
    if (added !== undefined) return `: ${added.trim().slice(0, 160)}`;
    const marks = /^ {0,12}\| [\s+~]*[+~]+\s*$/.test(body[n]!.text) && n > from ? body[n]!.text : "";
    if (marks === "") continue;
    const source = body[n - 1]!.text;
    const parts = [...marks.matchAll(/[+~]{1,200}/g)].map(({ 0: run, index }) => source.slice(index, index + run.length).trim());
    return `: ${parts.join(" ")}`;
  }
  return "";
}
