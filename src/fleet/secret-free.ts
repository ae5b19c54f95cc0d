import type { TaskPayload } from "./task.ts";

/**
 * Throws where the address of a repository could hold a secret. Every task comes by here: a worker would refuse the address too, but by then it would lie in the
 * database and in its backups. A name before the @ is a user for ssh, and may be a token for everything else; behind a ? or a # stands what a server is told besides.
 */
export function assertSecretFree({ repo }: Pick<TaskPayload, "repo">): void {
  if (!repo) return;
  const [, scheme, authority = ""] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#]*)/i.exec(repo.url) ?? [];
  const user = authority.slice(0, Math.max(0, authority.lastIndexOf("@")));
  const isPlain = scheme === undefined || /(?:^|\+)ssh$/i.test(scheme);
  if (user.includes(":") || (user !== "" && !isPlain) || /[?#]/.test(repo.url))
    throw new RangeError("The address of a repository holds no name, no password, no ? and no #: secrets belong to the workers.");
}
