import type { TaskPayload } from "../../../runtime/fleet/fleet-client.ts";
import { holdsRepoSecret } from "../../../text/repo-secret.ts";
import { UsageError } from "../io.ts";

/** `--repo url@branch`. An @ before the path belongs to the address. */
export function readRepoOption(given: string): NonNullable<TaskPayload["repo"]> {
  // Before anything repeats it.
  if (holdsRepoSecret(given))
    throw new UsageError(
      "--repo: an address with a name or a password in it is stored nowhere. Workers have keys of their own: leave it out.",
    );
  const [, place = "", path = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/]*|[^/:]+(?=:))(.*)$/i.exec(given) ?? [];
  const at = path.indexOf("@");
  if (place === "" || path.length < 2)
    throw new UsageError(`--repo ${given}: it is an address, such as https://host/name.git or https://host/name.git@branch.`);
  if (at === -1) return { url: given };
  const ref = path.slice(at + 1);
  if (ref === "") throw new UsageError(`--repo ${given}: behind the @ stands the name of a branch.`);
  return { url: `${place}${path.slice(0, at)}`, ref };
}
