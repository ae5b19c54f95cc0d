import type { BrokenSkill, Skill, SkillHead } from "../../../core/ports/skill.ts";
import { display, isWithin } from "../../../text/path.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { cutTo } from "../../../text/width/columns.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ListSurroundings {
  readonly terminal: Terminal;
  readonly home: string;
  readonly cwd: string;
  /** Where the person's own are looked for. */
  readonly places: readonly string[];
}

/** A row for each skill, and below it what is odd about it; then what is left out, with the reason. */
export function listText(
  list: readonly SkillHead[],
  broken: readonly BrokenSkill[],
  { terminal: { stdout, out }, home, cwd, places }: ListSurroundings,
): string {
  if (list.length + broken.length === 0)
    return `There are no skills. A skill is a folder with a SKILL.md, in ${short(places.at(-1)!, home)} for yourself or in .zeph/skills for a project.\n`;
  const where = (folder: string) => oneLine(isWithin(cwd, folder) ? display(folder, cwd) : short(folder, home));
  const room = stdout.isTTY ? Math.max(40, stdout.columns) : Number.POSITIVE_INFINITY;
  const names = widest(list.map(({ name }) => name));
  const folders = widest(list.map(({ folder }) => where(folder)));
  const rows = list.flatMap(({ name, trust, folder, description, notes }) => [
    cutTo(
      `${name.padEnd(names)}  ${trust.padEnd(LONGEST_TRUST)}  ${where(folder).padEnd(folders)}  ${oneLine(description, MOST_SHOWN)}`,
      room,
    ),
    ...notes.map((note) => out.dim(`  note: ${oneLine(note)}`)),
  ]);
  const left = broken.map(({ folder, why }) => `left out: ${where(folder)}: ${oneLine(why)}`);
  return `${[...rows, ...left].join("\n")}\n`;
}

const LONGEST_TRUST = "provisional".length;
const MOST_SHOWN = 120;

/** In an order that a person reads from above: what it is, whether it is believed, what it brings, what it says. */
export function showText(skill: Skill): string {
  const { name, description, trust, origin, folder, files, filesLeftOut, license, metadata, asks, notes, body } = skill;
  const more = filesLeftOut > 0 ? ` and ${filesLeftOut} more` : "";
  const lines = [
    `${name}: ${oneLine(description)}`,
    `Trust: ${TRUST[trust]}`,
    `Folder: ${oneLine(folder)} (${ORIGIN[origin]})`,
    ...(files.length === 0 ? [] : [`Files: ${files.map((file) => oneLine(file)).join(", ")}${more}`]),
    ...(license === null ? [] : [`License: ${oneLine(license)}`]),
    ...metadata.map(([key, text]) => `${key}: ${oneLine(text)}`),
    ...asks.map((wish) => `It asks for ${oneLine(wish)} (your rules decide, not the skill)`),
    ...notes.map((note) => `Note: ${oneLine(note)}`),
  ];
  return `${lines.join("\n")}\n\n${visible(body)}\n`;
}

const TRUST: Readonly<Record<SkillHead["trust"], string>> = {
  trusted: "trusted",
  provisional: "provisional: everything but reading is asked about; `zeph skills trust` vouches for it as it is now",
  untrusted: "untrusted: it changed since you vouched for it, and may only read; `zeph skills trust` vouches for it as it is now",
};

const ORIGIN: Readonly<Record<SkillHead["origin"], string>> = {
  own: "your own",
  workspace: "of the project",
  listed: "listed in skills.paths",
};

export const headJson = ({ name, trust, origin, folder, description, license, asks, notes }: SkillHead) => ({
  name,
  trust,
  origin,
  folder,
  description,
  ...(license !== null && { license }),
  asks,
  notes,
});

export const showJson = (skill: Skill) => ({
  ...headJson(skill),
  metadata: Object.fromEntries(skill.metadata),
  files: skill.files,
  files_left_out: skill.filesLeftOut,
  body: skill.body,
});

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));

const short = (path: string, home: string): string => (isWithin(home, path) ? `~${path.slice(home.length)}` : path);
