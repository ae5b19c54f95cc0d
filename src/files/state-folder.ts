import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Zeph's folder of state, as long as nothing is configured. */
export function stateFolder(home = homeFolder()): string {
  const given = process.env.XDG_STATE_HOME;
  return join(given && isAbsolute(given) ? given : join(home, ".local", "state"), "zeph");
}

export const homeFolder = (): string => {
  const { HOME } = process.env;
  return HOME && isAbsolute(HOME) ? HOME : homedir();
};
