import { createHash } from "node:crypto";
import type { Bus } from "../../core/ports/fleet/session.ts";
import type { Pg, PgRow } from "../../store/pg/pg.ts";
import { canonicalJson, isRecord, parseJson } from "../../text/json.ts";
import { SUBJECTS } from "../bus/subjects.ts";

/** A policy as it is pushed: a file of settings and the files it names, by their names. */
export interface PolicyBundle {
  readonly format: 1;
  readonly files: Readonly<Record<string, string>>;
}

export interface PolicyVersion {
  readonly version: number;
  readonly hash: string;
  readonly by: string;
  readonly at: number;
  /** The older version whose bundle it is. */
  readonly again: number | null;
}

export interface StoredPolicy extends PolicyVersion {
  readonly files: PolicyBundle["files"];
}

/** The policies of a tenant. Versions only rise, and none is ever changed. */
export interface FleetPolicies {
  /** Checked by whoever pushes it. */
  push(bundle: PolicyBundle, by: string): Promise<number>;
  /** A new version with the bundle of an older one. Null: there is no such version. */
  rollback(version: number, by: string): Promise<number | null>;
  /** The newest first. */
  history(limit?: number): Promise<readonly PolicyVersion[]>;
  /** Without a number the newest. Throws a PolicyDamaged when it is not what was pushed. */
  get(version?: number): Promise<StoredPolicy | null>;
  /** The number of the newest; 0 where there is none. */
  newest(): Promise<number>;
}

/** The bundle in the database is not the one that was pushed, or not one this version of Zeph knows. */
export class PolicyDamaged extends Error {
  override readonly name = "PolicyDamaged";
}

/** What a runtime reads in one go. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 100;

export function createPolicies(db: Pg, bus: Bus | null): FleetPolicies {
  const insert = async (text: string, by: string, again: number | null): Promise<number> => {
    const row = await db.one("select push_policy(?, ?, ?, ?::bigint) as version", text, hashOf(text), by, again);
    // The row is the truth; whoever does not hear of it looks.
    bus?.tell(SUBJECTS.policy(db.tenant), { version: row!.version });
    return row!.version;
  };
  return {
    async push(bundle, by) {
      const text = canonicalJson(bundle);
      if (text.length > MOST_BYTES || Object.keys(bundle.files).length > MOST_FILES)
        throw new RangeError(`A policy has at most ${MOST_FILES} files and ${MOST_BYTES} characters.`);
      return insert(text, by, null);
    },
    async rollback(version, by) {
      const row = await db.one("select bundle, hash from policies where version = ?", version);
      if (!row) return null;
      readBundle(version, row);
      return insert(row.bundle, by, version);
    },
    async history(limit = 50) {
      const rows = await db.all(`select ${COLUMNS} from policies order by version desc limit ?`, limit);
      return rows.map(readVersion);
    },
    async get(version) {
      const row = await db.one(
        `select ${COLUMNS}, bundle from policies where version = coalesce(?::bigint, version) order by version desc limit 1`,
        version ?? null,
      );
      return row ? { ...readVersion(row), files: readBundle(row.version, row).files } : null;
    },
    newest: async () => (await db.one("select coalesce(max(version), 0) as version from policies"))!.version,
  };
}

const COLUMNS = "version, hash, pushed_by, pushed_at, again";

const readVersion = (row: PgRow): PolicyVersion => ({
  version: row.version,
  hash: row.hash,
  by: row.pushed_by,
  at: row.pushed_at.getTime(),
  again: row.again,
});

function readBundle(version: number, { bundle, hash }: PgRow): PolicyBundle {
  if (hashOf(bundle) !== hash) throw new PolicyDamaged(`Policy ${version} is not what was pushed: its hash is another one.`);
  const found = parseJson(bundle);
  if (!isRecord(found) || found.format !== 1 || !isRecord(found.files))
    throw new PolicyDamaged(`Policy ${version} has a form that this version of Zeph does not know. Update Zeph.`);
  return found as unknown as PolicyBundle;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
