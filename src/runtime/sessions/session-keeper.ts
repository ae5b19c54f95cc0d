import { ToolError } from "../../core/error.ts";
import type { InnerLayer } from "../../core/layer.ts";
import type { SessionChange, SessionMemory, StoredSession } from "../../core/ports/store.ts";
import type { Bound, TurnContext } from "../../core/turn.ts";
import { decisionOf } from "../../pipeline/decision.ts";
import { sessionOwner } from "./client-session.ts";
import { type KeptField, SESSION_FIELDS, WORKSPACE_FIELDS } from "./kept-parts.ts";
import type { RuntimeMemory, StoredCopy } from "./runtime-memory.ts";

/** Keeps what is remembered of clients' sessions in the store, so that it does not end with the process. Turns of nobody else are touched. */
export interface SessionKeeper {
  /** Recalls what is stored of the turn's session, and does the work, which stores what it changed with `sync`. Rejects where that is not possible. */
  during<T>(turn: TurnContext, work: () => Promise<T>): Promise<T>;
  /** Stores what has changed, and recalls what another process has stored meanwhile. */
  sync(turn: TurnContext): Promise<void>;
}

export interface SessionKeeperParts {
  readonly store: SessionMemory;
  readonly workspace: string;
  readonly memory: RuntimeMemory;
  readonly redact: (text: string) => string;
}

/** What is remembered of a session could not be read or stored. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  constructor(cause: unknown) {
    super(`What is remembered of the session could not be kept: ${(cause as Error)?.message ?? String(cause)}`, { cause });
  }
}

/** What a turn, or nobody any more, has seen of a session. */
type Seen = Pick<TurnContext, "seen">;

const DAY_MS = 24 * 3_600_000;
/** What nobody has used for so long is forgotten. */
export const SESSION_KEPT_MS = 30 * DAY_MS;
/** Sessions held in memory; any other is read from the store again. Fewer than gates remember. */
const MOST_HELD = 60;
const MOST_TRIES = 20;
/** The owner of what counts for all sessions of a workspace. */
const EVERYBODY = "";

export function createSessionKeeper({ store, workspace, memory, redact }: SessionKeeperParts): SessionKeeper {
  const { stored } = memory;
  let lastExpiry = 0;
  const copyOf = (owner: string): StoredCopy => {
    const known = stored.get(owner) ?? { version: 0, items: new Map(), users: 0, isUnsaved: false };
    stored.delete(owner);
    stored.set(owner, known);
    return known;
  };
  const fieldsOf = (owner: string) => (owner === EVERYBODY ? WORKSPACE_FIELDS : SESSION_FIELDS);
  const now = (owner: string, turn: Seen): Map<string, string> => {
    const items = new Map<string, string>();
    if (owner !== EVERYBODY)
      for (const [name, value] of Object.entries(turn.seen)) if (value) items.set(`${MARKS}${name}`, JSON.stringify(value));
    for (const { name, codec, in: inside } of fieldsOf(owner))
      for (const [key, value] of codec.items(inside(memory), owner))
        items.set(`${name} ${key}`, codec.json ? (value as string) : JSON.stringify(value));
    return items;
  };
  /** Marks are never taken back, so what is stored counts whatever this turn has seen. */
  const adoptMarks = (items: ReadonlyMap<string, string>, { seen }: Seen) => {
    if (items.has(`${MARKS}untrusted`)) seen.untrusted = true;
    const skill = items.get(`${MARKS}skill`);
    if (skill !== undefined && !seen.skill) seen.skill = JSON.parse(skill) as Bound;
  };
  const changeOf = (owner: string, turn: Seen): SessionChange | null => {
    const { items, version } = copyOf(owner);
    if (owner !== EVERYBODY) adoptMarks(items, turn);
    const current = now(owner, turn);
    const put = new Map([...current].filter(([name, value]) => items.get(name) !== value));
    const remove = [...items.keys()].filter((name) => !current.has(name));
    return put.size + remove.length > 0 ? { workspace, owner, after: version, put, remove } : null;
  };
  /** What is used is written once a day, so that it is kept. A version is not lower than the moment it was written at. */
  const renewal = (owner: string): SessionChange | null => {
    const { items, version } = copyOf(owner);
    return items.size > 0 && Date.now() - version > DAY_MS ? { workspace, owner, after: version, put: new Map(), remove: [] } : null;
  };
  const withoutSecrets = (change: SessionChange): SessionChange => ({
    ...change,
    put: new Map([...change.put].map(([name, value]) => [name, isText(name) ? cleanJson(value, redact) : value])),
  });
  /** False where another process has written since this one looked: then nothing is written. */
  const write = async (changes: readonly SessionChange[]): Promise<boolean> => {
    if (changes.length === 0) return true;
    const written = await store.write(changes.map(withoutSecrets), Date.now());
    if (written === null) return false;
    for (const [n, { owner, put, remove }] of changes.entries()) {
      const copy = copyOf(owner);
      for (const name of remove) copy.items.delete(name);
      for (const [name, value] of put) copy.items.set(name, value);
      copy.version = written[n]!;
    }
    return true;
  };
  const restore = (owner: string, items: ReadonlyMap<string, string>) => {
    for (const { name, codec, in: inside } of fieldsOf(owner)) codec.restore(inside(memory), owner, itemsOf(name, items));
  };
  /** What is stored by another process, with what has changed only here. */
  const adopt = (owner: string, turn: Seen, { version, items }: StoredSession) => {
    const copy = copyOf(owner);
    const ours = now(owner, turn);
    const merged = new Map(items);
    for (const name of new Set([...copy.items.keys(), ...ours.keys()])) {
      const [base, mine, theirs] = [copy.items.get(name), ours.get(name), items.get(name)];
      if (mine === base) continue;
      if (mine === undefined) merged.delete(name);
      else merged.set(name, theirs === undefined || theirs === base ? mine : bothOf(fieldsOf(owner), name, { base, mine, theirs }));
    }
    Object.assign(copy, { version, items: new Map(items) });
    restore(owner, merged);
  };
  const syncNow = async (owner: string, turn: Seen, isChanged: boolean): Promise<void> => {
    const owners = [EVERYBODY, owner];
    const changes = () => owners.flatMap((one) => changeOf(one, turn) ?? renewal(one) ?? []);
    const first = isChanged ? changes() : [];
    if (first.length > 0 && (await write(first))) return;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      for (const one of owners) {
        const found = store.read({ workspace, owner: one }, copyOf(one).version);
        if (found) adopt(one, turn, found);
      }
      adoptMarks(copyOf(owner).items, turn);
      if (await write(changes())) return;
    }
    throw new Error("it keeps changing while it is stored");
  };
  const syncIf = async (isChanged: boolean, turn: TurnContext): Promise<void> => {
    const owner = sessionOwner(turn);
    if (owner === null) return;
    try {
      if (memory.gates.sentinel.writing.size > 0) await Promise.all(memory.gates.sentinel.writing);
      await memory.inTurn(() => syncNow(owner, turn, isChanged));
      if (isChanged) copyOf(owner).isUnsaved = false;
    } catch (cause) {
      copyOf(owner).isUnsaved = true;
      throw new SessionError(cause);
    }
  };
  const sync = (turn: TurnContext) => syncIf(true, turn);
  const dropIdle = (most: number) => {
    for (const [owner, { users, isUnsaved }] of stored) {
      if (stored.size <= most) return;
      if (users > 0 || isUnsaved || owner === EVERYBODY) continue;
      restore(owner, new Map());
      memory.marks.delete(owner);
      stored.delete(owner);
    }
  };
  const flushIdle = async () => {
    for (const [owner, { users, isUnsaved }] of [...stored]) {
      if (users > 0 || !isUnsaved) continue;
      await memory.inTurn(() => syncNow(owner, { seen: memory.marks.get(owner) ?? { untrusted: false } }, true));
      copyOf(owner).isUnsaved = false;
    }
  };
  /** Gates forget a session that is one too many for them, and what they forget would be taken for something that is to be removed. */
  const hold = async (owner: string): Promise<StoredCopy> => {
    for (let tries = 0; ; tries++) {
      dropIdle(MOST_HELD - 1);
      if (stored.has(owner) || stored.size < MOST_HELD) {
        const copy = copyOf(owner);
        copy.users += 1;
        return copy;
      }
      if (tries > 0) throw new SessionError(new Error(`${MOST_HELD} sessions are in use at once`));
      await flushIdle().catch((cause: unknown) => {
        throw new SessionError(cause);
      });
    }
  };
  const expire = () => {
    if (Date.now() - lastExpiry < DAY_MS) return;
    lastExpiry = Date.now();
    // Where that fails it is done another day.
    store.expire(lastExpiry - SESSION_KEPT_MS).catch(() => {});
  };
  return {
    sync,
    async during(turn, work) {
      const owner = sessionOwner(turn);
      if (owner === null) return work();
      const copy = await hold(owner);
      try {
        await syncIf(copy.isUnsaved, turn);
        copy.isUnsaved = true;
        const done = await work().catch(async (error: unknown) => {
          if (!(error instanceof SessionError)) await sync(turn).catch(() => {});
          throw error;
        });
        expire();
        return done;
      } finally {
        copy.users -= 1;
        dropIdle(MOST_HELD);
      }
    },
  };
}

const MARKS = "marks ";
const TEXTS = SESSION_FIELDS.filter(({ codec }) => codec.text).map(({ name }) => `${name} `);
const isText = (name: string): boolean => TEXTS.some((field) => name.startsWith(field));

const cleanJson = (json: string, redact: (text: string) => string): string =>
  JSON.stringify(JSON.parse(json, (_key, value) => (typeof value === "string" ? redact(value) : value)));

/** One value that two processes have changed at once. */
function bothOf(
  fields: readonly KeptField[],
  name: string,
  { base, mine, theirs }: { readonly base: string | undefined; readonly mine: string; readonly theirs: string },
): string {
  const codec = fields.find((field) => name.startsWith(`${field.name} `))?.codec;
  if (!codec?.merge) return mine;
  const [before, one, other] = [base, mine, theirs].map((json) => (json === undefined ? undefined : (JSON.parse(json) as unknown)));
  return JSON.stringify(codec.merge(before, one, other));
}

function itemsOf(field: KeptField["name"], items: ReadonlyMap<string, string>): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of items) if (name.startsWith(`${field} `)) found.set(name.slice(field.length + 1), JSON.parse(value));
  return found;
}

/** What a command of a client's session counts as is stored before it runs. */
export const rememberFirst =
  (layer: InnerLayer, { sync }: Pick<SessionKeeper, "sync">): InnerLayer =>
  (permit, ctx, next) => {
    if (sessionOwner(ctx.turn) === null) return layer(permit, ctx, next);
    return layer(permit, ctx, async () => {
      try {
        await sync(ctx.turn);
      } catch (cause) {
        const error = new ToolError("permanent_failure", `${(cause as Error).message} The command was not run.`, { cause });
        return { ok: false, callId: permit.call.id, error, decision: decisionOf(permit.grant) };
      }
      return next();
    });
  };
