import { dirname } from "node:path";
import { userConfigPath } from "../../config/paths.ts";
import { realDisk } from "../../host/sandbox/disk.ts";
import { realOrParent } from "../../host/sandbox/listed-paths.ts";
import type { StatePaths } from "../../store/state-paths.ts";
import { isWithin } from "../../text/path.ts";

/**
 * Why no session may work in a folder, whoever asks for it; null when one may. The file tools take a workspace for the client's own, so it must
 * be neither all of the person's things nor what decides about the client.
 */
export function createFolderRefusal(at: StatePaths, instead: string): (folder: string) => string | null {
  const real = (path: string) => realOrParent(path, realDisk);
  return (folder) => {
    const home = real(at.home);
    if (folder === "/" || isWithin(folder, home))
      return `${folder} ${folder === home ? "is your home" : "holds your home and more"}, and no session may work in all of it. ${instead}`;
    const own = [at.state, at.store, at.audit, at.notes, dirname(userConfigPath({ home: at.home, env: process.env }))].map(real);
    const hit = own.find((path) => isWithin(folder, path) || isWithin(path, folder));
    return hit === undefined ? null : `${folder} holds Zeph's own files (${hit}), and no session may work there. ${instead}`;
  };
}
