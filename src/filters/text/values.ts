import type { Entry, Group } from "./entries.ts";
import { isOnlyLevel, stampOf, untilStamp } from "./stamps.ts";
import { fieldsOf, numbersOf } from "./template.ts";

/** How much of what differed is said. */
export interface Detail {
  readonly numbers: number;
  readonly names: number;
}

/** More records than this are looked at only here and there. */
const MOST_LOOKED_AT = 10_000;

/** What differed, behind the word before it: `took 201–898ms; user root, admin`. `whole` tells whether that is all there is to know. Names in `told` were said before. */
export function remarkOn(group: Group, detail: Detail, told: Set<string>): { readonly text: string; readonly whole: boolean } {
  const step = Math.ceil(group.entries.length / MOST_LOOKED_AT);
  const varying = slotsOf(group, step, Math.max(detail.numbers, detail.names)).filter(({ seen }) => seen.size > 1);
  const lists = varying.map((slot) =>
    slot.isName ? names(slot, detail.names, told) : numbers(slot, detail.numbers, group.entries.length),
  );
  const said = new Map(lists.flatMap((list, n) => (list === "" ? [] : [[list, varying[n]!.label] as const])).reverse());
  const isFew = ({ seen, isName }: Slot) => seen.size <= (isName ? detail.names : detail.numbers);
  const isAll = ([slot, another]: readonly Slot[]) => !another && isFew(slot!) && said.size === 1 && !lists[0]!.includes(" and ");
  const text = [...said]
    .reverse()
    .map(([list, label]) => (label === "" ? list : `${label} ${list}`))
    .join("; ");
  return { text: step > 1 && text !== "" ? `about ${text}` : text, whole: step === 1 && (varying.length === 0 || isAll(varying)) };
}

/** A place with no more values than these has usual ones, and perhaps rare ones. */
const FEW_VALUES = 5;
const RARE = 2;
const ENOUGH = 10;
const MOST_OUTLIERS = 10;
/** Of so many records no more than one is an outlier. */
const USUAL = 5;
/** In more records than this no outliers are looked for. */
const MOST_SEARCHED = 200_000;

/** Records with a value that hardly ever comes where a few others come again and again: `up=0` among `up=1`. */
export function outliersOf(group: Group): readonly Entry[] {
  const { entries, wild } = group;
  if (entries.length < ENOUGH || entries.length > MOST_SEARCHED) return [];
  const rare = slotsOf(group, 1, FEW_VALUES).map((slot) => rareIn(slot, entries.length));
  if (rare.every(({ size }) => size === 0)) return [];
  const valuesIn = wild.length === 0 ? numbersOf : allFields;
  const hasRare = ({ head }: Entry) => valuesIn(head.text).some((value, n) => rare[n]!.has(withoutColon(value)));
  return entries.filter(hasRare).slice(0, Math.min(MOST_OUTLIERS, Math.floor(entries.length / USUAL)));
}

function rareIn({ seen }: Slot, lines: number): ReadonlySet<string> {
  if (seen.size < 2 || seen.size > FEW_VALUES) return NONE;
  const rare = [...seen].filter(([, count]) => count <= RARE);
  const together = rare.reduce((sum, [, count]) => sum + count, 0);
  return together > lines / USUAL ? NONE : new Set(rare.map(([value]) => value));
}

const NONE: ReadonlySet<string> = new Set();

export function until(entries: readonly Entry[]): string {
  const first = stampOf(entries[0]!.head.text)?.stamp;
  const last = stampOf(entries.at(-1)!.head.text)?.stamp;
  return first && last && first !== last ? `until ${untilStamp(first, last)}` : "";
}

/** What stood in one place of the lines. */
interface Slot {
  /** The word before it. */
  readonly label: string;
  /** Different values and how often each came, as long as they are few. */
  readonly seen: Map<string, number>;
  readonly isName: boolean;
  /** What follows the number, where all values are numbers. */
  unit: string | null;
  min: number;
  max: number;
}

function slotsOf({ entries, wild }: Group, step: number, most: number): Slot[] {
  const valuesIn = wild.length === 0 ? numbersOf : allFields;
  const first = entries[0]!.head.text;
  const inStamp = placesOfStamp(first, valuesIn, wild.length === 0 ? 0 : 1);
  const found = stampOf(first);
  const behindStamp = found ? found.at + found.stamp.length : 0;
  let at = 0;
  const slots = valuesIn(first).map((value, n) => {
    at = first.indexOf(value, at) + value.length;
    return newSlot(
      withoutColon(value),
      wild.includes(n * 2),
      labelBefore(first.slice(behindStamp, Math.max(at - value.length, behindStamp))),
    );
  });
  for (let n = 0; n < entries.length; n += step) {
    const values = valuesIn(entries[n]!.head.text);
    if (values.length !== slots.length) return [];
    for (let place = 0; place < values.length; place++)
      if (place < inStamp.from || place >= inStamp.to) note(slots[place]!, withoutColon(values[place]!), most);
  }
  return slots;
}

const allFields = (text: string): readonly string[] => fieldsOf(text).filter((_, place) => place % 2 === 0);

/** Which of the values belong to the stamp of a line. They stand at the same places in all lines of a group. The text before it may `end` in an empty field. */
function placesOfStamp(
  text: string,
  valuesIn: (text: string) => readonly string[],
  end: number,
): { readonly from: number; readonly to: number } {
  const found = stampOf(text);
  if (!found) return { from: 0, to: 0 };
  const before = text.slice(0, found.at);
  return { from: valuesIn(before).length - end, to: valuesIn(before + found.stamp).length };
}

/** `"time":12` has one before its number. */
const withoutColon = (value: string): string => (value.startsWith(":") ? value.slice(1) : value);

/** `id=` of `id=7`, `took` of `took 7ms`, `worker` of `worker[7]`. Levels and time zones name nothing. */
function labelBefore(text: string): string {
  const word = /(?<![\p{L}\p{N}_.-])(\p{L}[\p{L}\p{N}_.-]{0,19})["']?[:=]?[ "'([]{0,2}$/u.exec(text.slice(-30))?.[1] ?? "";
  return isOnlyLevel(word) || word === "UTC" ? "" : word;
}

const newSlot = (value: string, isName: boolean, label: string): Slot => ({
  label,
  seen: new Map(),
  isName,
  unit: isName ? null : (NUMBER.exec(value)?.[1] ?? null),
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
});

const NUMBER = /^-?\d+(?:\.\d+)?([a-zA-Zµ%]{0,6})$/;

function note(slot: Slot, value: string, most: number): void {
  const count = slot.seen.get(value);
  if (count !== undefined || slot.seen.size <= most) slot.seen.set(value, (count ?? 0) + 1);
  if (slot.unit === null) return;
  const number = value.endsWith(slot.unit) ? Number(value.slice(0, value.length - slot.unit.length)) : Number.NaN;
  if (Number.isNaN(number)) slot.unit = null;
  else {
    if (number < slot.min) slot.min = number;
    if (number > slot.max) slot.max = number;
  }
}

/** Users, packages, hosts: each is a fact, once. */
function names({ seen }: Slot, most: number, told: Set<string>): string {
  const fresh = [...seen].filter(([name]) => !told.has(name));
  const said: string[] = [];
  let room = ROOM_FOR_NAMES;
  for (const [name, count] of fresh.slice(0, most)) {
    if (room < 0) break;
    room -= name.length;
    told.add(name);
    said.push(count > 1 ? `${name}×${count}` : name);
  }
  if (said.length === 0) return "";
  const above = seen.size - fresh.length;
  const rest = said.length < fresh.length ? " and others" : above > 0 ? ` and ${above} named above` : "";
  return `${said.join(", ")}${rest}`;
}

const ROOM_FOR_NAMES = 600;

const TIME = /\d\d:\d\d|\d{4}-\d\d-\d\d|^\d{6}$/;
const ID = /^[^a-z]*[\da-f]{8,}|\d{5,}|[\da-f]{4}-[\da-f]{4}-/i;
const ADDRESS = /\d+\.\d+\.\d+\.\d+|\/\S*[a-z]/i;
/** A number below this may be a size or a duration; above it is rather an id. */
const SMALL = 100_000;
const EXAMPLES = 3;
/** How long a value may be on average. */
const ROOM = 25;

/** Numbers in a few words, or nothing where they are only ids. */
function numbers({ seen, unit, min, max }: Slot, most: number, lines: number): string {
  const values = [...seen.keys()];
  const [first = ""] = values;
  const isNewEachTime = seen.size > Math.max(Math.min(most, lines / 2), first.length < LONG_ID ? FEW_IDS : 0);
  if (TIME.test(first) || (isNewEachTime && ID.test(first) && !ADDRESS.test(first))) return "";
  const few = withoutCommon(values.slice(0, most));
  const list = few.join(", ");
  const fits = list.length <= most * ROOM;
  if (seen.size <= most && fits) return list;
  if (unit !== null && max < SMALL) return `${min}–${max}${unit}`;
  if (!ADDRESS.test(first)) return "";
  return `${(fits && most > MANY ? few : few.slice(0, EXAMPLES)).join(", ")} and others`;
}

const MANY = 20;
/** So many short ids are listed all the same. */
const FEW_IDS = 4;
const LONG_ID = 8;

/** Long values that begin and end alike are told by what differs. */
function withoutCommon(values: readonly string[]): readonly string[] {
  const [first = "", ...others] = values;
  const all = (test: (value: string) => boolean) => others.length > 0 && others.every(test);
  let start = 0;
  let end = 0;
  while (start < first.length && all((value) => value[start] === first[start])) start++;
  while (end < first.length - start && all((value) => value.length > start + end && value.at(-1 - end) === first.at(-1 - end))) end++;
  while (start > 0 && /\w/.test(first[start - 1]!)) start--;
  while (end > 0 && /\w/.test(first.at(-end)!)) end--;
  const isLong = start + end >= LONG_ENDS;
  return values.map((value) => (isLong ? value.slice(start, value.length - end) : value).replace(/[.:]$/, ""));
}

const LONG_ENDS = 12;
