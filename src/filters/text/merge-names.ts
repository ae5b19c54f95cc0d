import type { Group } from "./entries.ts";
import { isConstant, templateFields } from "./template.ts";

const WILD = "\u0002";
/** A template with this many lines is known by its words and stays on its own. */
const KNOWN = 20;
/** So many different names make a place for names: users, packages, hosts. Plain words must be more: "started" and "stopped" are two events. */
const NAMES = 4;
const PLAIN_WORDS = 8;
const PLAIN_WORD = /^[a-z]+$|^[A-Z][a-z]+$|^[A-Z]+$/;
const ENOUGH_LINES = { good: 12, bad: 21 };
const MOST_FIELDS = 40;
const MOST_GROUPS = 4000;

/** Groups that differ in a single field, where names stand, become one. Twice, so that two such fields are found. */
export function withNamesAside(groups: readonly Group[]): readonly Group[] {
  return mergedOnce(mergedOnce(groups));
}

interface Candidate {
  readonly place: number;
  readonly members: { readonly group: Group; readonly name: string }[];
}

function mergedOnce(groups: readonly Group[]): readonly Group[] {
  const rare = groups.filter(({ entries, template, wild }) => (entries.length < KNOWN || wild.length > 0) && !template.includes("\n"));
  if (rare.length < NAMES || rare.length > MOST_GROUPS) return groups;
  const taken = new Set<Group>();
  const made: Group[] = [];
  for (const { place, members } of candidatesIn(rare)) {
    const free = members.filter(({ group }) => !taken.has(group));
    if (!isPlaceForNames(free)) continue;
    const [first] = free;
    for (const { group } of free) taken.add(group);
    const entries = free.flatMap(({ group }) => group.entries).sort((a, b) => a.at - b.at);
    const { fields, added } = templateFields(first!.group.template);
    const template = `${fields.with(place, WILD).join("")}${added}`;
    made.push({ template, bad: first!.group.bad, entries, wild: [...first!.group.wild, place] });
  }
  return made.length === 0 ? groups : [...groups.filter((group) => !taken.has(group)), ...made];
}

/** Sets of groups that are equal but for one field, the largest first. */
function candidatesIn(groups: readonly Group[]): Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const group of groups) {
    const { fields, added } = templateFields(group.template);
    if (fields.length > MOST_FIELDS * 2) continue;
    for (let place = 0; place < fields.length; place += 2) {
      const name = fields[place]!;
      if (name === "" || name === WILD || !(isConstant(name) || /[a-z]{3}/i.test(name)) || LEVEL.test(name)) continue;
      const key = `${group.bad}${place}\n${fields.with(place, WILD).join("")}${added}`;
      const candidate = candidates.get(key);
      if (candidate) candidate.members.push({ group, name });
      else candidates.set(key, { place, members: [{ group, name }] });
    }
  }
  return [...candidates.values()].filter(({ members }) => members.length >= NAMES).sort((a, b) => b.members.length - a.members.length);
}

const LEVEL = /^(?:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|fatal|crit(?:ical)?|severe|emerg|alert|panic):?$/i;

function isPlaceForNames(members: Candidate["members"]): boolean {
  const names = new Set(members.map(({ name }) => name));
  const plain = [...names].filter((name) => PLAIN_WORD.test(name)).length;
  if (names.size < NAMES || (plain > names.size / 2 && names.size < PLAIN_WORDS)) return false;
  const lines = members.reduce((sum, { group }) => sum + group.entries.length, 0);
  return lines >= ENOUGH_LINES[members[0]!.group.bad ? "bad" : "good"];
}
