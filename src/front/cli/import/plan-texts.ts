import { join } from "node:path";
import { readConfigText } from "../../../config/read.ts";
import { listNames } from "../../../files/list-names.ts";
import { OwnFileError, readOwnFile } from "../../../files/own-file.ts";
import { agentSkill, isSkillFrom } from "../../../neighbours/import/agent-skills.ts";
import { readCommands } from "../../../neighbours/import/command-texts.ts";
import { type SourcePlaces, sourceName } from "../../../neighbours/import/find-sources.ts";
import type { ImportedFile } from "../../../neighbours/import/plan-import.ts";

/** A skill that would be written. */
export interface PlannedSkill {
  readonly file: string;
  readonly before: string | null;
  readonly text: string;
}

const MOST_FILES = 200;
const MOST_BYTES = 256 * 1024;

/** Texts of claude: its agents become skills, its commands are read where they are. */
export function planTexts(
  clients: readonly string[],
  target: "user" | "project",
  places: SourcePlaces,
  userFolder: string,
  date: string,
): { readonly skills: readonly PlannedSkill[]; readonly files: readonly ImportedFile[] } {
  if (!clients.includes("claude")) return { skills: [], files: [] };
  const base = join(target === "user" ? places.home : places.workspace, ".claude");
  if (target === "project" && places.workspace === places.home) return { skills: [], files: [] };
  const scope = target === "user" ? "own" : "project";
  const inside = target === "project" ? { inside: places.workspace } : {};
  const folder = target === "user" ? join(userFolder, "skills") : join(places.workspace, ".zeph", "skills");
  const read = (path: string): string | null => readText(path, inside);
  const skills: PlannedSkill[] = [];
  const files = listNames(join(base, "agents"), ".md", MOST_FILES).flatMap((file): ImportedFile[] => {
    const path = join(base, "agents", file);
    const name = sourceName({ kind: "servers", form: "json", path, scope }, places, target);
    const text = read(path);
    if (text === null) return [];
    const skill = agentSkill(file, name, text, date);
    if (skill.name === null) return [{ name, rules: [], entries: skill.entries }];
    const written = join(folder, skill.name, "SKILL.md");
    const before = readConfigText(written, target === "project" ? { inside: places.workspace } : undefined);
    if (before !== null && !isSkillFrom(before, name)) {
      const why = `there is a skill named ${skill.name} already`;
      return [{ name, rules: [], entries: skill.entries.map((entry) => ({ ...entry, fate: { list: "not taken", why } })) }];
    }
    if (before === null || withoutDate(before) !== withoutDate(skill.text)) skills.push({ file: written, before, text: skill.text });
    return [{ name, rules: [], entries: skill.entries }];
  });
  return {
    skills,
    files: [...files, ...readCommands(base, (path) => sourceName({ kind: "servers", form: "json", path, scope }, places, target))],
  };
}

const withoutDate = (text: string): string => text.replace(/, \d{4}-\d\d-\d\d -->/, "");

function readText(path: string, inside: { readonly inside?: string }): string | null {
  try {
    return readOwnFile(path, { maxBytes: MOST_BYTES, ...inside }).bytes.toString("utf8");
  } catch (error) {
    if (error instanceof OwnFileError) return null;
    throw error;
  }
}
