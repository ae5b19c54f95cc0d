import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { RequestError } from "@agentclientprotocol/sdk";

/** The folder a session works in, under its real name. `refusal` says why none may work in it, and null when one may. */
export async function sessionFolder(cwd: string, refusal: (folder: string) => string | null): Promise<string> {
  const refused = (why: string) => RequestError.invalidParams({ cwd }, `cwd ${why}`);
  if (!isAbsolute(cwd) || cwd.includes("\0")) throw refused("has to be an absolute path.");
  const real = await realpath(cwd).catch(() => null);
  if (real === null) throw refused("names a folder that is not there.");
  if (!(await stat(real)).isDirectory()) throw refused("is not a folder.");
  const why = refusal(real);
  if (why !== null) throw RequestError.invalidParams({ cwd }, why);
  return real;
}
