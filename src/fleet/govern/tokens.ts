import { createHash, randomBytes } from "node:crypto";
import { assertPerson, type FleetPerson, type FleetRole } from "../../core/ports/fleet/person.ts";
import type { Pg, PgRow } from "../../store/pg/pg.ts";

/** A token of our own, without the token. */
export interface FleetToken {
  readonly id: string;
  readonly person: string;
  readonly roles: readonly FleetRole[];
  readonly madeBy: string;
  readonly madeAt: number;
  /** Null: it has no end. */
  readonly until: number | null;
  readonly revokedAt: number | null;
}

export interface NewToken {
  readonly person: string;
  readonly roles: readonly FleetRole[];
  readonly until?: Date | undefined;
  readonly by: string;
}

/** The tokens of a tenant. Only their hashes are kept, so each is shown once, when it is made. */
export interface FleetTokens {
  add(token: NewToken): Promise<{ readonly id: string; readonly token: string }>;
  /** The newest first, those that ended too. */
  list(limit?: number): Promise<readonly FleetToken[]>;
  /** From the next request on. False: there is none, or it was revoked before. */
  revoke(id: string): Promise<boolean>;
}

const PREFIX = "zeph_";

export function createFleetTokens(db: Pg): FleetTokens {
  return {
    async add({ person, roles, until, by }) {
      assertPerson(person);
      if (roles.length === 0) throw new RangeError("A token needs a role: without one it opens nothing.");
      const id = randomBytes(4).toString("hex");
      const token = `${PREFIX}${randomBytes(32).toString("base64url")}`;
      await db.run(
        "insert into tokens (id, hash, person, roles, made_by, until) values (?, ?, ?, ?, ?, ?::timestamptz)",
        id,
        hashOf(token),
        person,
        [...new Set(roles)],
        by,
        until?.toISOString() ?? null,
      );
      return { id, token };
    },
    async list(limit = 500) {
      const rows = await db.all(
        "select id, person, roles, made_by, made_at, until, revoked_at from tokens order by made_at desc, id limit ?",
        limit,
      );
      return rows.map(readToken);
    },
    revoke: async (id) => (await db.run("update tokens set revoked_at = now() where id = ? and revoked_at is null", id)) > 0,
  };
}

/** Whether it has the form of a token of ours: nothing else is looked for in the database. */
export const isOwnToken = (text: string): boolean => /^zeph_[\w-]{43}$/.test(text);

/** Who sent a token of ours; null where it is none, has ended or was revoked. */
export async function findTokenOwner(db: Pg, token: string): Promise<FleetPerson | null> {
  const row = await db.one("select tenant, person, roles from find_token(?)", hashOf(token));
  return row ? { tenant: row.tenant, person: row.person, roles: row.roles } : null;
}

/** A token is 32 random bytes: no salt and no slow hash is needed, and looking for the hash tells nothing about it. */
const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

const readToken = (row: PgRow): FleetToken => ({
  id: row.id,
  person: row.person,
  roles: row.roles,
  madeBy: row.made_by,
  madeAt: row.made_at.getTime(),
  until: row.until?.getTime() ?? null,
  revokedAt: row.revoked_at?.getTime() ?? null,
});
