import { dirname, isAbsolute, join, resolve } from "node:path";
import { userConfigPath } from "../../config/paths.ts";
import type { Config } from "../../config/schema.ts";
import type { TrustRecords } from "../../core/ports/store.ts";
import { realFolder } from "../../files/working-folder.ts";
import type { SkillPlace } from "../../host/skills/find-skills.ts";
import { createLocalSkills, type LocalSkills, sealFolder } from "../../host/skills/skills.ts";
import { writableFolders } from "../../host/skills/writable-folders.ts";

export { sealFolder };

export interface SkillSurroundings {
  readonly config: Pick<Config, "skills" | "tools">;
  readonly workspace: string;
  readonly home: string;
  readonly trust: Pick<TrustRecords, "get">;
  /** Folders of the person's own skills; null where no file of theirs is read. */
  readonly own: readonly string[] | null;
  /** Whether a file is one that nobody may read. */
  readonly isHidden?: ((path: string) => boolean) | undefined;
}

/** `skills` beside the user's configuration, and the folders in the home that agents share. */
export const ownSkillFolders = (at: Parameters<typeof userConfigPath>[0]): readonly string[] => [
  join(dirname(userConfigPath(at)), "skills"),
  ...SHARED.map((name) => join(at.home, name)),
];

/** The skills one finds from a workspace. The person's own come first, so that a project cannot take their names. */
export function openSkills({ config: { skills, tools }, home, trust, own, isHidden, ...given }: SkillSurroundings): LocalSkills {
  if (!skills.enabled) return createLocalSkills({ places: [], trust });
  const workspace = realFolder(resolve(given.workspace));
  const writable = writableFolders({
    workspace,
    home,
    listed: [...tools.file.allowed_paths, ...tools.shell.allowed_paths, ...tools.sandbox.allow_write].map((path) =>
      absolute(path, workspace, home),
    ),
  });
  const places: SkillPlace[] = [
    ...(own ?? []).map((path) => ({ path, origin: "own" as const })),
    ...SHARED.map((name) => ({ path: join(workspace, name), within: workspace, origin: "workspace" as const })),
    ...skills.paths.map((path) => ({ path: absolute(path, workspace, home), named: true as const, origin: "listed" as const })),
  ];
  return createLocalSkills({ places: places.map((place) => ({ ...place, writable })), trust, isHidden });
}

/** In the workspace and in the home alike. */
const SHARED = [".zeph/skills", ".agents/skills", ".claude/skills"];

function absolute(path: string, workspace: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return isAbsolute(path) ? path : join(workspace, path);
}
