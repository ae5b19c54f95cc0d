import { dirname, join } from "node:path";
import { executableOf, processKey } from "../../files/agent-process.ts";
import { readOwnText } from "../../files/own-file.ts";
import { realFolder } from "../../files/working-folder.ts";
import type { Connection } from "../../front/hookd/connection.ts";
import { packageRoot } from "../../hook/install/hook-program.ts";
import { readInstalled } from "../../hook/install/installed.ts";
import type { Peer } from "../../host/ask-peer.ts";
import { isRecord, parseJson } from "../../text/json.ts";

export interface ReplacedParts {
  /** Of the package that this process was started from. */
  readonly version: string;
  peerOf(from: Connection): Promise<Peer | null>;
  /** The folder that says which hooks a person installed. */
  readonly state: string;
  /** The folder of this package; null where it was bundled into another program. */
  readonly root?: string | null;
}

const MOST_BYTES = 1024 * 1024;

/**
 * Whether a person put another package in place of the one that this process was started from. A client's word is no proof: any process of this user can
 * say a version. So either the folder of this package holds another version by now, or the executable of the process that asks is the client of another
 * package which a person's hooks name.
 */
export function createReplacedCheck({
  version,
  peerOf,
  state,
  root = packageRoot(),
}: ReplacedParts): (from: Connection) => Promise<boolean> {
  return async (from) => {
    if (root !== null && versionIn(root) !== version) return true;
    const peer = await peerOf(from);
    const program = peer && executableOf(peer.pid);
    if (!peer || program === null || processKey(peer.pid) !== peer.key) return false;
    const other = dirname(dirname(program));
    const isInstalled = readInstalled(state).some(({ program: [named = ""] }) => rootOf(named) === other);
    return other !== root && isInstalled && versionIn(other) !== version;
  };
}

/** Of `<package>/bin/zeph-hook`, as hooks name it. */
const rootOf = (client: string): string => dirname(realFolder(dirname(client)));

function versionIn(root: string): string | null {
  const text = readOwnText(join(root, "package.json"), { maxBytes: MOST_BYTES });
  const found = text === null ? null : parseJson(text);
  return isRecord(found) && typeof found.version === "string" ? found.version : null;
}
