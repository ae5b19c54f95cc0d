import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { RequestError } from "@agentclientprotocol/sdk";

/** The folder a session works in, under its real name. */
export async function folderOf(cwd: string): Promise<string> {
  const refused = (why: string) => RequestError.invalidParams({ cwd }, `cwd ${why}`);
  if (!isAbsolute(cwd) || cwd.includes("\0")) throw refused("has to be an absolute path.");
  const real = await realpath(cwd).catch(() => null);
  if (real === null) throw refused("names a folder that is not there.");
  if (!(await stat(real)).isDirectory()) throw refused("is not a folder.");
  return real;
}
