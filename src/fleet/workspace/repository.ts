import { nameOf } from "../../text/path.ts";
import { visible } from "../../text/visible.ts";
import { WorkspaceError } from "./error.ts";

/** A repository that a task names, checked: nothing of it can be taken for an option of git, and it is one that the operator allows. */
export interface Repository {
  readonly url: string;
  /** A branch, a tag or a whole commit; null is what the repository begins with. */
  readonly ref: string | null;
  /** What it is called in the store, without the tenant. */
  readonly name: string;
}

const LONGEST = 1000;
const SCHEMES = ["https:", "ssh:", "file:"];

/** `allowed` are beginnings of addresses. Throws a WorkspaceError that says what is wrong, and never repeats a password. */
export function readRepository({ url, ref }: { readonly url: string; readonly ref?: string }, allowed: readonly string[]): Repository {
  const parsed = parse(url);
  const shown = visible(parsed.href);
  if (!SCHEMES.includes(parsed.protocol)) throw new WorkspaceError("A repository is named by an address with https:// or ssh://.");
  if (parsed.password !== "" || (parsed.username !== "" && parsed.protocol !== "ssh:"))
    throw new WorkspaceError("The address of a repository holds no name and no password: those belong to the workers.");
  if (parsed.search !== "" || parsed.hash !== "") throw new WorkspaceError("The address of a repository has no ? and no #.");
  if (/^-/.test(parsed.hostname) || /^-/.test(parsed.username)) throw new WorkspaceError(`${shown} is no address of a repository.`);
  if (!allowed.some((beginning) => parsed.href.startsWith(beginning)))
    throw new WorkspaceError(
      `Workers may not fetch ${shown}. Addresses that begin with ${allowed.join(" or ") || "nothing"} are allowed (fleet.repositories).`,
    );
  if (ref !== undefined && !isRef(ref)) throw new WorkspaceError("That is no name of a branch, a tag or a commit.");
  // Some servers read %2f as a slash: then the address would lead elsewhere than it says.
  if (/%(?:2f|5c)/i.test(parsed.pathname)) throw new WorkspaceError("The address of a repository is not written as addresses are.");
  const path = decode(parsed.pathname)
    .replace(/^\/+/, "")
    .replace(/(?:\.git)?\/*$/, "");
  if (path === "" || nameOf(`/${path}`).startsWith("-")) throw new WorkspaceError(`${shown} names no repository.`);
  return { url: parsed.href, ref: ref ?? null, name: `${parsed.host}/${path}`.replace(/^\//, "") };
}

/** `git@host:owner/name` is written like an address, too. */
function parse(given: string): URL {
  const [, user, host, path] = /^([\w.-]+)@([\w.-]+):(?!\/\/)([^:]+)$/.exec(given) ?? [];
  const text = user === undefined ? given : `ssh://${user}@${host}/${path}`;
  if (text.length > LONGEST || !URL.canParse(text))
    throw new WorkspaceError("A repository is named by an address with https:// or ssh://.");
  return new URL(text);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new WorkspaceError("The address of a repository is not written as addresses are.");
  }
}

/** As `git check-ref-format` would say, and stricter. */
const isRef = (ref: string): boolean => /^[A-Za-z0-9_][\w./+@-]{0,199}$/.test(ref) && !/\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(ref);
