import type { PersonQuota, QuotaLimits, QuotaRefusal } from "../../core/ports/fleet/govern.ts";
import type { Pg } from "../../store/pg/pg.ts";
import { waitWithin } from "../../text/wait-within.ts";
import { elapsedBetween, type Moment, readClock } from "../lease.ts";

/** The quotas of people, for all sessions of a process. Calls are taken from the database in blocks, and what is left of them is given back. */
export interface PersonQuotas {
  /** For one session. `person` is who it works for now, without the tenant. */
  open(person: () => string): PersonQuota & { close(): Promise<void> };
  /** Gives everything back. */
  close(): Promise<void>;
}

const BLOCK = 20;
/** A server that is away is not waited for: the call is refused, with words. */
const LONGEST_WAIT_MS = 10_000;
/** Calls that come again under their id, repaired, count once. */
const MOST_COUNTED = 10_000;

interface Block {
  left: number;
  period: string;
  taken: Moment;
  /** So long the day lasts from then on. */
  lastsMs: number;
  /** Sessions that use it. */
  users: number;
  taking: Promise<QuotaRefusal | null> | null;
}

export function openPersonQuotas(db: Pg): PersonQuotas {
  const blocks = new Map<string, Block>();
  const blockOf = (person: string): Block => {
    const known = blocks.get(person);
    if (known) return known;
    const made: Block = { left: 0, period: "", taken: readClock(), lastsMs: 0, users: 0, taking: null };
    blocks.set(person, made);
    return made;
  };
  const isOver = ({ taken, lastsMs }: Block): boolean => elapsedBetween(taken, readClock()) >= lastsMs;
  const takeBlock = async (person: string, most: number, rule: string): Promise<QuotaRefusal | null> => {
    const block = blockOf(person);
    const taken = readClock();
    const asked = db.one("select got, day, left_ms from take_quota(?, ?, ?)", person, most, BLOCK).then((row) => {
      if (isOver(block) || block.period !== row!.day) block.left = 0;
      Object.assign(block, { left: block.left + row!.got, period: row!.day, taken, lastsMs: row!.left_ms });
      return row!.got > 0;
    });
    const got = await waitWithin(asked, LONGEST_WAIT_MS, null).catch((error: Error) => error);
    if (got === true) return null;
    const why = got === false ? `all ${most} calls of ${person} for this day (UTC) are used` : unknownText(person, got);
    return { rule, why: `quota_blocked: ${got === false && most === 0 ? `no calls are allowed to ${person}` : why}.` };
  };
  /** Null: a call was set aside. */
  const takeOne = async (person: string, most: number, rule: string): Promise<QuotaRefusal | null> => {
    const block = blockOf(person);
    while (block.left === 0 || isOver(block)) {
      block.taking ??= takeBlock(person, most, rule).finally(() => {
        block.taking = null;
      });
      const refusal = await block.taking;
      if (refusal && (block.left === 0 || isOver(block))) return refusal;
    }
    block.left--;
    return null;
  };
  const giveBack = async (person: string, block: Block): Promise<void> => {
    await block.taking;
    const { left, period } = block;
    block.left = 0;
    if (left > 0 && !isOver(block)) await db.run("select give_quota(?, ?, ?)", person, period, left).catch(() => {});
  };
  const closeAll = () => Promise.all([...blocks].map(([person, block]) => giveBack(person, block)));
  return {
    open(person) {
      const users = new Set<string>();
      const aside = new Map<string, { readonly block: Block; readonly period: string }>();
      const refused = new Map<string, QuotaRefusal>();
      const counted = new Set<string>();
      const use = (name: string) => {
        if (users.has(name)) return;
        users.add(name);
        blockOf(name).users++;
      };
      const release = (callId: string) => {
        refused.delete(callId);
        const reserved = aside.get(callId);
        aside.delete(callId);
        if (reserved && reserved.period === reserved.block.period) reserved.block.left++;
      };
      return {
        async reserve(callId, limits) {
          const name = person();
          const limit = limitOf(limits, name);
          if (limit === null || counted.has(callId) || aside.has(callId)) return;
          use(name);
          const refusal = await takeOne(name, limit.most, limit.rule);
          if (refusal) return void refused.set(callId, refusal);
          const block = blockOf(name);
          aside.set(callId, { block, period: block.period });
        },
        refusal: (callId) => refused.get(callId) ?? null,
        count(callId) {
          if (!aside.delete(callId)) return;
          counted.add(callId);
          if (counted.size > MOST_COUNTED) counted.delete(counted.values().next().value!);
        },
        release,
        async close() {
          for (const callId of [...aside.keys()]) release(callId);
          for (const name of users) {
            const block = blockOf(name);
            block.users--;
            if (block.users > 0) continue;
            await giveBack(name, block);
            if (block.users === 0 && block.left === 0) blocks.delete(name);
          }
          users.clear();
        },
      };
    },
    async close() {
      await closeAll();
    },
  };
}

const unknownText = (person: string, error: Error | null): string =>
  `nobody can tell how many calls ${person} has left (${error?.message ?? "the database does not answer"})`;

/** Null: no limit. */
function limitOf({ calls_per_day, people }: QuotaLimits, person: string): { readonly most: number; readonly rule: string } | null {
  if (Object.hasOwn(people, person)) return { most: people[person]!, rule: `fleet.quota.people.${person} = ${people[person]}` };
  return calls_per_day === undefined ? null : { most: calls_per_day, rule: `fleet.quota.calls_per_day = ${calls_per_day}` };
}
