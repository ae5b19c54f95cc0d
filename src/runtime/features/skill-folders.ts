import { dirname, isAbsolute, join } from "node:path";
import { userConfigPath } from "../../config/paths.ts";
import type { Config } from "../../config/schema.ts";
import type { TrustRecords } from "../../core/ports/store.ts";
import type { SkillPlace } from "../../host/skills/find-skills.ts";
import { createLocalSkills, type LocalSkills, sealFolder } from "../../host/skills/skills.ts";

export { sealFolder };

export interface SkillSurroundings {
  readonly config: Pick<Config, "skills">;
  /** Canonical. */
  readonly workspace: string;
  readonly home: string;
  readonly trust: Pick<TrustRecords, "get">;
  /** The person's own skills; null where no file of theirs is read. */
  readonly own: string | null;
}

/** `skills` beside the user's configuration. */
export const ownSkillsFolder = (at: Parameters<typeof userConfigPath>[0]): string => join(dirname(userConfigPath(at)), "skills");

/** The skills one finds from a workspace. The person's own come first, so that a project cannot take their names. */
export function openSkills({ config: { skills }, workspace, home, trust, own }: SkillSurroundings): LocalSkills {
  if (!skills.enabled) return createLocalSkills({ places: [], trust });
  const places: SkillPlace[] = [
    ...(own === null ? [] : [{ path: own }]),
    ...IN_A_WORKSPACE.map((name) => ({ path: join(workspace, name), within: workspace })),
    ...skills.paths.map((path) => ({ path: absolute(path, workspace, home), named: true as const })),
  ];
  return createLocalSkills({ places, trust });
}

const IN_A_WORKSPACE = [".zeph/skills", ".agents/skills", ".claude/skills"];

function absolute(path: string, workspace: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return isAbsolute(path) ? path : join(workspace, path);
}
