import { type Line, standFor, timesSaid } from "../line.ts";
import { type Entry, entriesOf, type Group, groupsOf } from "./entries.ts";
import { withNamesAside } from "./merge-names.ts";
import { isOnlyLevel, withoutStamp } from "./stamps.ts";
import { isOfFailedRequest } from "./template.ts";
import { type Detail, outliersOf, remarkOn, until } from "./values.ts";

/** So many different errors of one kind are shown one by one; if there are more, the first of them, the last, and what differed. */
const ERRORS_IN_FULL = 20;
const FIRST_ERRORS = 3;
/** Errors that fill more characters than this are told more shortly. */
const MUCH = 12_000;
const REPEATS = 3;
const OF_ERRORS: Detail = { numbers: 40, names: 40 };
const OF_OTHERS: Detail = { numbers: 8, names: 40 };

/** A log with each kind of record once, where it first came: how often, until when, and what differed. Each different error stays, and what is rare among the usual. null: nothing is said twice. */
export function groupedLog(lines: readonly Line[]): Line[] | null {
  const kinds = groupsOf(entriesOf(withoutEmpty(lines)));
  if (!kinds) return null;
  const groups = [...withNamesAside(kinds)].sort((a, b) => a.entries[0]!.at - b.entries[0]!.at);
  const events = new Map(groups.filter(tellsOfFailure).map((group) => [group, sameEvents(group.entries, ERRORS_IN_FULL)]));
  const inFull = lengthOf(events.values()) > MUCH ? FIRST_ERRORS : ERRORS_IN_FULL;
  const told = new Set<string>();
  const shown = groups.flatMap((group) => {
    const same = events.get(group);
    if (same && same.length <= inFull) return same.flatMap((entries) => oneEvent({ ...group, entries, wild: [] }, told));
    const outliers = new Set(outliersOf(group));
    const usual = outliers.size === 0 ? group : { ...group, entries: group.entries.filter((entry) => !outliers.has(entry)) };
    return [...[...outliers].map(asIs), ...(same === undefined ? recordsOf : manyErrors)(usual, told)];
  });
  return shown.sort((a, b) => a.at - b.at).flatMap((item) => item.lines);
}

const tellsOfFailure = ({ bad, template }: Group): boolean => bad || isOfFailedRequest(template);

/** A level without a word, as some print for a blank line, is part of the line above. Above an empty error that must be an error too. */
function withoutEmpty(lines: readonly Line[]): readonly Line[] {
  if (!lines.some(({ text }) => isOnlyLevel(text))) return lines;
  const kept: Line[] = [];
  for (const line of lines) {
    const above = kept.at(-1);
    const mayJoin = above && above.text !== "" && (line.errors === 0 || above.errors > 0);
    if (mayJoin && isOnlyLevel(line.text)) kept[kept.length - 1] = standFor(above.text, [above, line]);
    else kept.push(line);
  }
  return kept;
}

interface Shown {
  readonly at: number;
  readonly lines: readonly Line[];
}

const asIs = ({ at, head, more }: Entry): Shown => ({ at, lines: [head, ...more] });

/** A brace alone is part of something that was printed, and no record. */
const A_WORD = /\p{L}{3}/u;

function recordsOf(group: Group, told: Set<string>): Shown[] {
  const { entries } = group;
  const [first] = entries;
  if (entries.length === 1) return [asIs(first!)];
  if (!A_WORD.test(first!.head.text)) return entries.map(asIs);
  const { text, whole } = remarkOn(group, OF_OTHERS, told);
  const isAll = whole && (first!.more.length === 0 || sameEvents(entries, 1) !== null);
  if (entries.length < REPEATS && !(isAll && text === "")) return entries.map(asIs);
  return [withRemark(first!, [timesOf(entries), until(entries), text], isAll ? entries : [first!])];
}

/** At different moments, which are told behind it. */
const timesOf = (entries: readonly Entry[]): string => timesSaid(entries.map(({ head }) => withoutStamp(head.text)));

/** Errors that are the same but for the moment, the process or the port are told together. */
function oneEvent(group: Group, told: Set<string>): Shown[] {
  const { entries } = group;
  if (entries.length === 1 || isOnlyLevel(entries[0]!.head.text)) return entries.map(asIs);
  return [withRemark(entries[0]!, [timesOf(entries), until(entries), remarkOn(group, OF_OTHERS, told).text], entries)];
}

function manyErrors(group: Group, told: Set<string>): Shown[] {
  const firsts = group.entries.slice(0, FIRST_ERRORS);
  const third = firsts.pop()!;
  const last = group.entries.at(-1)!;
  const rest = group.entries.slice(FIRST_ERRORS, -1);
  const remarks = [`and ${rest.length} more like it`, until(group.entries), remarkOn(group, OF_ERRORS, told).text];
  return [...firsts.map(asIs), withRemark(third, remarks, [third], rest), asIs(last)];
}

/** What is new each time and tells little: the process, the port a client came from. */
const PASSING = /\[\d+\](?=:| [A-Z]{3,9}:)|\bport \d+|(?<=\d\.\d{1,3}):\d{5}\b/g;

/** Records of the same event at different moments. null: there are more than `most` events. */
function sameEvents(entries: readonly Entry[], most: number): Entry[][] | null {
  const events = new Map<string, Entry[]>();
  for (const entry of entries) {
    const event = withoutStamp(entry.head.text).replace(PASSING, "");
    const key = entry.more.length === 0 ? event : [event, ...entry.more.map(({ text }) => text)].join("\n");
    const same = events.get(key);
    if (same) same.push(entry);
    else if (events.size === most) return null;
    else events.set(key, [entry]);
  }
  return [...events.values()];
}

/** A record that speaks for others too. What it `tells` is not left out; errors it counts are never left out unnoticed. */
function withRemark({ at, head, more }: Entry, remarks: readonly string[], tells: readonly Entry[], counted: readonly Entry[] = []): Shown {
  const remark = remarks.filter((part) => part !== "").join("; ");
  const text = `${head.text.trimEnd()} (${remark.replace("; until", " until")})`;
  const own = new Set(more);
  return {
    at,
    lines: [
      standFor(
        text,
        linesOf(tells).filter((line) => !own.has(line)),
        linesOf(counted),
      ),
      ...more,
    ],
  };
}

const linesOf = (entries: readonly Entry[]): Line[] => entries.flatMap(({ head, more }) => (more.length === 0 ? head : [head, ...more]));

/** How much room the different errors would take. */
function lengthOf(events: Iterable<readonly Entry[][] | null>): number {
  let length = 0;
  for (const same of events) for (const [first] of same ?? []) for (const { text } of [first!.head, ...first!.more]) length += text.length;
  return length;
}
