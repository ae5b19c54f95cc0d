import { START } from "../../store/audit/chain.ts";
import { sha256 } from "../../store/audit/lines.ts";

/** Where a chain ended when it was signed. */
export interface SignedHead {
  readonly writer: string;
  readonly count: number;
  readonly hash: string;
}

/**
 * A checkpoint signs where the chains of all tenants end that moved since the one before it, and the root of that one. So the last root stands for
 * every line that was ever signed. Tenants share checkpoints; of each other they see hashes alone.
 */
export interface Checkpoint {
  readonly n: number;
  readonly at: string;
  /** The root before it. */
  readonly previous: string;
  /** A line for each tenant: its tag, and the hash of the text that names its heads. */
  readonly parts: string;
  readonly root: string;
}

export const FIRST_ROOT = START.hash;

/** The line of a tenant's heads in a checkpoint is found by this; the name itself is nobody else's business. */
export const tenantTag = (tenant: string): string => sha256(`tenant ${tenant}`).slice(0, 32);

/** One line for each chain. Names of chains hold no blanks. */
export const headsText = (heads: readonly SignedHead[]): string =>
  heads.map(({ count, hash, writer }) => `${count} ${hash} ${writer}`).join("\n");

export const readHeads = (text: string): SignedHead[] =>
  text.split("\n").map((line) => {
    const [count = "", hash = "", writer = ""] = line.split(" ");
    return { writer, hash, count: Number(count) };
  });

export const partsText = (texts: ReadonlyMap<string, string>): string =>
  [...texts]
    .map(([tenant, heads]) => `${tenantTag(tenant)} ${sha256(heads)}`)
    .sort()
    .join("\n");

/** The hash of a tenant's heads; null where none of its chains moved. */
export function partOf(parts: string, tenant: string): string | null {
  const tag = tenantTag(tenant);
  const line = parts.split("\n").find((one) => one.startsWith(`${tag} `));
  return line === undefined ? null : line.slice(tag.length + 1);
}

export const rootOf = ({ n, at, previous, parts }: Omit<Checkpoint, "root">): string =>
  sha256(["zeph audit checkpoint", n, at, previous, parts].join("\n"));
