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
  copilot: ["COPILOT_HOME", "", ".copilot"],
  gemini: ["GEMINI_CLI_HOME", ".gemini", ".gemini"],
  qwen: ["QWEN_HOME", "", ".qwen"],
  opencode: ["XDG_CONFIG_HOME", "opencode", ".config/opencode"],
  pi: ["PI_CODING_AGENT_DIR", "", ".pi/agent"],
};

/** Where a variable leads the client to in place of its folder in the home; null where none does. */
export function movedFolder({ name }: ClientPlan, { env }: Whereabouts): { readonly variable: string; readonly folder: string } | null {
  const [variable = "", folder = ""] = MOVED[name] ?? [];
  const moved = env[variable];
  return moved?.startsWith("/") ? { variable, folder: join(moved, folder) } : null;
}

/** The folder of a client's own settings. */
export const clientFolder = (plan: ClientPlan, place: Whereabouts): string =>
  movedFolder(plan, place)?.folder ?? join(place.home, MOVED[plan.name]?.[2] ?? plan.folder.user);

/** The file of a client in a scope. Throws a FileRefused where the client has none. */
export function placeOf(plan: ClientPlan, scope: HookScope, { home, cwd, env }: Whereabouts): ClientFile {
  const name = plan.files[scope];
  if (name === null)
    throw new FileRefused(
      `${plan.name} has no file of a project that is not committed. --shared writes ${plan.files.shared}, which others get with the project.`,
    );
  if (scope !== "user") return { path: join(cwd, name), inside: cwd };
  const moved = movedFolder(plan, { home, cwd, env });
  const below = MOVED[plan.name]?.[2] ?? "";
  if (moved !== null) return { path: join(moved.folder, name.slice(below.length + 1)), inside: moved.folder };
  return { path: join(home, name), inside: join(home, plan.folder.user) };
}
