import { loadConfig } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { statePaths } from "../../store/state-paths.ts";

/** The configuration for commands about a fleet: that of the person and of the machine. A project's can only tighten it. */
export function readFleetConfig({ config, set = [] }: { readonly config?: string; readonly set?: readonly string[] }): Config {
  return loadConfig({
    cwd: process.cwd(),
    home: statePaths({ store: "", audit: "" }).home,
    env: process.env,
    flags: set,
    trusted: () => false,
    ...(config !== undefined && { userFile: config }),
  }).config;
}
