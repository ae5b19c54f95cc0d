/**
 * Whether the address of a repository names somebody who fetches it: a password, or a name where that may be a token. Behind ssh:// a name is no secret.
 * What holds one is kept nowhere: workers have keys of their own.
 */
export function holdsRepoSecret(address: string): boolean {
  const [, scheme, user] = /^([a-z][a-z0-9+.-]*):[\\/]*([^\\/?#]*)@/i.exec(address) ?? [];
  if (scheme === undefined || user === undefined || user === "") return false;
  return user.includes(":") || scheme.toLowerCase() !== "ssh";
}
