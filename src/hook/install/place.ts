import { join } from "node:path";
import type { ClientFile } from "./client-file.ts";
import type { ClientPlan, HookScope } from "./client-plan.ts";
import { FileRefused } from "./edit-text.ts";

/** Where somebody's settings lie. */
export interface Whereabouts {
  readonly home: string;
  /** The folder of the project. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Variables by which a client itself is told of another folder for the user's settings, the folder below it, and what they stand for. */
const MOVED: Readonly<Partial<Record<string, readonly [variable: string, folder: string, below: string]>>> = {
  claude: ["CLAUDE_CONFIG_DIR", "", ".claude"],
  codex: ["CODEX_HOME", "", ".codex"],
  opencode: ["XDG_CONFIG_HOME", "opencode", ".config/opencode"],
};

/** The file of a client in a scope. Throws a FileRefused where the client has none. */
export function placeOf(plan: ClientPlan, scope: HookScope, { home, cwd, env }: Whereabouts): ClientFile {
  const name = plan.files[scope];
  if (name === null)
    throw new FileRefused(
      `${plan.name} has no file of a project that is not committed. --shared writes ${plan.files.shared}, which others get with the project.`,
    );
  if (scope !== "user") return { path: join(cwd, name), inside: cwd };
  const [variable = "", folder = "", below = ""] = MOVED[plan.name] ?? [];
  const moved = env[variable];
  if (moved?.startsWith("/")) return { path: join(moved, folder, name.slice(below.length + 1)), inside: join(moved, folder) };
  return { path: join(home, name), inside: join(home, plan.folder.user) };
}
