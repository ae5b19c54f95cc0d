import type { Pg, Rows } from "../../store/pg/pg.ts";
import { groupBy } from "../../text/group-by.ts";
import { type Checkpoint, FIRST_ROOT, headsText, partsText, rootOf, type SignedHead } from "./checkpoint-form.ts";
import type { SigningKey } from "./signing-key.ts";

/** What the last checkpoint was, where it was not made with this key. */
export interface OddCheckpoint {
  readonly n: number;
  readonly key: string;
}

export interface MadeCheckpoint {
  /** Null when there was nothing to sign, or somebody has signed with this key within `everyMs`. */
  readonly checkpoint: Checkpoint | null;
  readonly odd: OddCheckpoint | null;
}

/** Signs where the chains end that moved since the last checkpoint. Of many processes one does it. */
export const makeCheckpoint = (db: Pg, key: SigningKey, everyMs: number): Promise<MadeCheckpoint> =>
  db.together(async (rows) => {
    const mine = await rows.one(
      "select pg_try_advisory_xact_lock(hashtextextended('audit checkpoint ' || current_schema(), 1516597352)) as mine",
    );
    const last = mine?.mine ? await lastCheckpoint(rows, everyMs) : null;
    // Another key's may be forged, and what it says is signed may not be: everything is signed anew. It is no reason to wait, either.
    const odd = last && !key.made(last.root, last.signature) ? { n: last.n, key: last.key } : null;
    if (!mine?.mine || (last?.recent && !odd)) return { checkpoint: null, odd: null };
    const heads = await rows.all<SignedHead & { tenant: string }>(
      "select tenant, writer, count, hash from audit_unsigned(?)",
      odd !== null,
    );
    if (heads.length === 0) return { checkpoint: null, odd };
    const texts = new Map([...groupBy(heads, ({ tenant }) => tenant)].map(([tenant, own]) => [tenant, headsText(own)]));
    const { now } = (await rows.one<{ now: Date }>("select now() as now"))!;
    const made = { n: (last?.n ?? 0) + 1, at: now.toISOString(), previous: last?.root ?? FIRST_ROOT, parts: partsText(texts) };
    const checkpoint = { ...made, root: rootOf(made) };
    await writeCheckpoint(rows, checkpoint, texts, key);
    return { checkpoint, odd };
  });

const lastCheckpoint = (rows: Rows, everyMs: number) =>
  rows.one<{ n: number; root: string; signature: string; key: string; recent: boolean }>(
    "select n, root, signature, key, made_at > now() - make_interval(secs => ?::float8 / 1000) as recent from audit_checkpoints order by n desc limit 1",
    everyMs,
  );

const writeCheckpoint = (
  rows: Rows,
  { n, at, previous, parts, root }: Checkpoint,
  texts: ReadonlyMap<string, string>,
  key: SigningKey,
): Promise<number> =>
  rows.run(
    "select audit_checkpoint(?, ?, ?, ?, ?, ?, ?, ?, ?)",
    n,
    at,
    previous,
    parts,
    root,
    key.sign(root),
    key.id,
    [...texts.keys()],
    [...texts.values()],
  );
