import { findSafeProgram } from "../../../files/programs.ts";
import { HOOK_CLIENTS } from "../../../hook/find-client.ts";
import type { ClientPlan } from "../../../hook/install/client-plan.ts";
import { runBounded } from "./run-line.ts";

/** Where a program lies on PATH; null where it does not. A project's own program must not be run. */
export function programOnPath(name: string): string | null {
  const found = findSafeProgram(name);
  return "path" in found ? found.path : null;
}

const LIMIT_MS = 10_000;

export interface ClientVersion {
  readonly program: string | null;
  /** Null where the program does not say, or not in time. */
  readonly version: string | null;
  readonly isTested: boolean;
}

/** Of the program on PATH, or of another one. */
export async function versionOf(
  { program, name }: ClientPlan,
  { path = programOnPath(program), env = process.env }: { readonly path?: string | null; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ClientVersion> {
  if (path === null) return { program: null, version: null, isTested: false };
  const { code, stdout } = await runBounded([path, "--version"], { input: "", cwd: "/", env, limitMs: LIMIT_MS });
  const version = code === 0 ? (/\d+\.\d+\.\d+(?:-[\w.-]*\w)?/.exec(stdout)?.[0] ?? null) : null;
  return { program: path, version, isTested: version !== null && version === HOOK_CLIENTS[name].tested };
}
