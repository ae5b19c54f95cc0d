import type { Bound, TaintMarks, Trust, TurnContext } from "../turn.ts";

/** What is known of a skill without reading all of it. A skill is a folder with a SKILL.md; it brings no tools of its own. */
export interface SkillHead {
  readonly name: string;
  readonly description: string;
  /** Where its SKILL.md really lies. */
  readonly folder: string;
  /** What its front matter asks for, `allowed-tools` above all. Shown, and never granted. */
  readonly asks: readonly string[];
  /** What is odd about it and did not keep it from being used. */
  readonly notes: readonly string[];
  /** As its author names it; null when it says nothing. */
  readonly license: string | null;
  /** What else its author says of it, by name. Shown, and never acted on. */
  readonly metadata: readonly (readonly [name: string, text: string])[];
  readonly origin: SkillOrigin;
  readonly trust: Trust;
}

/** Who put it there: the person, in a folder of their own that no tool and no command can change; whoever wrote the workspace; or a folder that the settings list. */
export type SkillOrigin = "own" | "workspace" | "listed";

export interface Skill extends SkillHead {
  /** What comes after the front matter. */
  readonly body: string;
  /** Files beside SKILL.md, relative to the folder; the first of them where there are many. */
  readonly files: readonly string[];
  readonly filesLeftOut: number;
}

/** The skills there are now. A broken one is left out and told about. */
export interface Skills {
  list(): Promise<readonly SkillHead[]>;
  /** Null when there is none of that name. Reads it anew: its trust is that of the text it returns. */
  get(name: string): Promise<Skill | null>;
  /** How far the skill in this folder is believed as it is now. Everything in it is compared with what was vouched for. */
  trustOf(folder: string): Trust;
  /** Folders that hold no skill one could use, each with the reason. */
  broken(): Promise<readonly BrokenSkill[]>;
}

export interface BrokenSkill {
  readonly folder: string;
  readonly why: string;
  /** A second skill of a name, where both are the person's own: worth a line in a list, and no warning. */
  readonly isOwnDouble?: true;
}

/** Of everything in a skill's folder, so that a change is seen; or why it cannot be told. */
export type Seal = { readonly hash: string } | { readonly why: string };

/** What a person vouches for, as the store names it. */
export const skillSubject = (folder: string): string => `${SUBJECT}${folder}`;
/** The folder of such a subject; null for any other. */
export const skillFolderOf = (subject: string): string | null => (subject.startsWith(SUBJECT) ? subject.slice(SUBJECT.length) : null);
const SUBJECT = "skill ";

/** Stands where the hash would be. The person takes back the trust that a skill of their own has without a word. */
export const WITHDRAWN = "withdrawn";

const ORDER: readonly Trust[] = ["untrusted", "provisional", "trusted"];

export const isAtLeast = (trust: Trust, level: Trust): boolean => ORDER.indexOf(trust) >= ORDER.indexOf(level);

export const lowest = (...levels: readonly Trust[]): Trust =>
  ORDER[Math.min(2, ...levels.map((level) => ORDER.indexOf(level)))] ?? "untrusted";

/** A model has read this skill's text: from now on the conversation is believed no more than the skill. */
export function mark(seen: TaintMarks, { name, trust }: Pick<SkillHead, "name" | "trust">): void {
  const before = seen.skill?.trust ?? "trusted";
  if (trust !== before && lowest(before, trust) === trust) seen.skill = { name, trust };
}

/** Whom a turn is bound to, where it is not believed in full; null where it is. */
export function boundTo({ trust, seen, skillName, callerId }: TurnContext): Bound | null {
  const level = lowest(trust, seen.skill?.trust ?? "trusted");
  if (level === "trusted") return null;
  const name = seen.skill?.trust === level ? seen.skill.name : (skillName ?? callerId ?? "a caller");
  return { name, trust: level };
}

/** The first line of what `load_skill` returns. */
export const skillHeading = ({ name, trust }: Pick<SkillHead, "name" | "trust">): string => `Skill ${name} (${trust})`;

/** What such a line says, in a conversation that is opened again; null when it is no such line. */
export function readHeading(text: string): Pick<SkillHead, "name" | "trust"> | null {
  const [, name, trust] = /^Skill ([a-z0-9-]{1,64}) \((untrusted|provisional|trusted)\)(?:\n|$)/.exec(text) ?? [];
  return name === undefined ? null : { name, trust: trust as Trust };
}
