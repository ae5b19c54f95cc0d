import { createHash } from "node:crypto";

/** A name for a folder or a part of a ref: what is plain stays as it is, everything else becomes a hash. Two names never give the same. */
export const slugOf = (name: string): string =>
  PLAIN.test(name) && !HASHED.test(name) ? name : `x-${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;

/** Small letters only: there are disks on which large ones are the same. */
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const HASHED = /^x-[0-9a-f]{32}$/;
