import type { ToolCall } from "../../core/call.ts";
import type { OpenCall } from "../../pipeline/client-calls.ts";
import type { GateMemory } from "../rules/gate-memory.ts";
import type { RuntimeMemory } from "./runtime-memory.ts";

/** How what one field remembers of an owner is written as items, and read again. */
interface Codec<M> {
  items(memory: M, owner: string): Iterable<readonly [key: string, value: unknown]>;
  /** In place of all that is remembered of the owner. */
  restore(memory: M, owner: string, items: ReadonlyMap<string, any>): void;
  /** What two processes have made of one value, each without the other; `base` is what both began with. Without it the own one counts. */
  merge?(base: any, ours: any, theirs: any): unknown;
  /** It holds text of calls, which is stored without secrets. */
  readonly text?: true;
  /** The values are JSON already. */
  readonly json?: true;
}

/** What is remembered of one call from its judgement to its end. */
interface CallCodec<M> {
  save(memory: M, call: ToolCall): unknown;
  restore(memory: M, call: ToolCall, saved: any): void;
}

/**
 * What becomes of a field when the process ends: `session` is stored by session, `workspace` for all sessions of the workspace, `call` with the call while
 * it is open. `dropped` says why nothing is lost by it.
 */
type Fate<M> =
  | { readonly session: Codec<M> }
  | { readonly workspace: Codec<M> }
  | { readonly call: CallCodec<M> }
  | { readonly dropped: string };

type Fates<M> = M extends ReadonlyMap<any, any> ? Fate<M> : { readonly [F in keyof M]: Fate<M> };

const ANSWERS = "A person's answer for longer than one call. Nobody gives one for a call of a client.";
const ONE_PROCESS = "It says what this process has done already.";

/** Every field that a gate remembers something in. One that is missing here does not compile. */
const GATES: { readonly [P in keyof GateMemory]: Fates<GateMemory[P]> } = {
  quota: {
    session: {
      items: (counted, owner) => [...(counted.get(owner) ?? [])].map((id) => [id, 1]),
      restore: (counted, owner, items) => put(counted, owner, items.size > 0 ? new Set(items.keys()) : null),
    },
  },
  scoped: {
    refused: { dropped: "For a person who lifts a refusal in the same process." },
    approved: { dropped: ANSWERS },
  },
  trust: {
    levels: {
      workspace: {
        items: ({ levels }) => levels,
        restore: ({ levels }, _owner, items) =>
          replace(
            levels,
            // JSON has no infinity.
            [...items].map(([tool, { level, until }]) => [tool, { level, until: until ?? Number.POSITIVE_INFINITY }] as const),
          ),
        merge: (_base, ours, theirs) => (LEVELS.indexOf(theirs.level) < LEVELS.indexOf(ours.level) ? theirs : ours),
      },
    },
    granted: { dropped: ANSWERS },
    asked: { dropped: ANSWERS },
  },
  permissions: {
    granted: { dropped: ANSWERS },
    edits: { dropped: ANSWERS },
    kept: { dropped: ANSWERS },
    asked: { dropped: ANSWERS },
  },
  protected: { granted: { dropped: ANSWERS }, kept: { dropped: ANSWERS } },
  verifiers: { dropped: "By conversation or turn. Calls of clients have neither, so nothing is known from one to the next." },
  strangerFiles: {
    began: {
      call: {
        save: ({ began }, call) => began.get(call),
        restore: ({ began }, call, at: number) => void began.set(call, at),
      },
    },
  },
  sentinel: {
    conversations: {
      session: {
        items: ({ conversations }, owner) => {
          const known = conversations.get(owner);
          return known ? [["", { ...known, progress: [...known.progress] }]] : [];
        },
        restore({ conversations }, owner, items) {
          const known = items.get("");
          put(conversations, owner, known ? { ...known, progress: new Map(known.progress) } : null);
        },
        merge: (base, ours, theirs) => ({
          ...ours,
          steps: appended(base?.steps, ours.steps, theirs.steps),
          calls: counted(base?.calls, ours.calls, theirs.calls),
          progress: mergeByKey<number>(base?.progress, ours.progress, theirs.progress, (_before, one, other) => Math.max(one, other)),
        }),
      },
    },
    taints: {
      session: {
        items: ({ taints }, owner) => Object.entries(taints.get(owner) ?? {}).filter(([, what]) => what !== null),
        restore: ({ taints }, owner, items) =>
          put(taints, owner, items.size > 0 ? { private: items.get("private") ?? null, stranger: items.get("stranger") ?? null } : null),
        text: true,
      },
    },
    admitted: {
      call: {
        save: ({ admitted }, call) => admitted.get(call),
        restore: ({ admitted }, call, steps) => void admitted.set(call, steps),
      },
    },
    words: { dropped: "Made again from the call." },
    granted: { dropped: ANSWERS },
    asked: { dropped: ANSWERS },
    recent: { dropped: "For a person's word about a call in the same process." },
    known: { dropped: "Read from the store." },
    loading: { dropped: "Read from the store." },
    meaning: { dropped: "Vectors, which are made again." },
    moment: { dropped: "It tells questions of one process apart." },
    hasExpired: { dropped: ONE_PROCESS },
    hasWarned: { dropped: ONE_PROCESS },
    writing: { dropped: "Waited for before a call is answered." },
  },
  anomaly: {
    windows: {
      workspace: {
        items: ({ windows }) => windows,
        restore: ({ windows }, _owner, items) => replace(windows, items),
        merge(base, ours, theirs) {
          const calls: boolean[] = appended(base?.calls, ours.calls, theirs.calls);
          const { told } = theirs.told === "blocked" ? theirs : ours;
          return { calls, failed: calls.filter((failed) => failed).length, told, until: Math.max(ours.until, theirs.until) };
        },
      },
    },
  },
  utility: {
    conversations: {
      session: {
        items: ({ conversations }, owner) => {
          const known = conversations.get(owner);
          if (!known) return [];
          const tools = [...known.tools].map(([tool, past]) => [tool, { ...past, recent: past.recent.map((words) => [...words]) }]);
          return [["", { ...known, answered: [...known.answered], tools }]];
        },
        restore({ conversations }, owner, items) {
          const known = items.get("");
          const tools = ((known?.tools ?? []) as Pairs<StoredTool>).map(
            ([tool, past]) => [tool, { ...past, recent: past.recent.map((words) => new Set(words)) }] as const,
          );
          put(conversations, owner, known ? { ...known, answered: new Set(known.answered), tools: new Map(tools) } : null);
        },
        merge: (base, ours, theirs) => ({
          ...ours,
          answered: [...new Set([...theirs.answered, ...ours.answered])],
          tools: mergeByKey<StoredTool>(base?.tools, ours.tools, theirs.tools, (before, one, other) => ({
            ...one,
            calls: counted(before?.calls, one.calls, other.calls),
            answers: counted(before?.answers, one.answers, other.answers),
            recent: appended(before?.recent, one.recent, other.recent),
          })),
          inARow: Math.max(ours.inARow, theirs.inARow),
          asOf: Math.max(ours.asOf, theirs.asOf),
        }),
        text: true,
      },
    },
    skipped: {
      workspace: {
        items: ({ skipped }) => skipped,
        restore: ({ skipped }, _owner, items) => replace(skipped, items),
        merge: (_base, ours, theirs) => Math.max(ours, theirs),
      },
    },
    changes: {
      workspace: {
        items: ({ changes }) => (changes > 0 ? [["", changes]] : []),
        restore(memory, _owner, items) {
          memory.changes = items.get("") ?? 0;
        },
        merge: counted,
      },
    },
    judged: {
      call: {
        // What is skipped is denied, and not judged again. Its reason names the arguments.
        save: ({ judged }, call) => (judged.get(call)?.kind === "pass" ? judged.get(call) : undefined),
        restore: ({ judged }, call, verdict) => void judged.set(call, verdict),
      },
    },
  },
};

/** What else is remembered of a session. Its marks come and go with the turn (`session-keeper.ts`). */
const BESIDES: { readonly [P in Exclude<keyof RuntimeMemory, "gates" | "marks" | "stored" | "inTurn">]: Fate<RuntimeMemory> } = {
  names: {
    session: {
      items: ({ names }, owner) => [...names].flatMap((name) => (belongsTo(name, owner) ? [[name, 1] as const] : [])),
      restore({ names }, owner, items) {
        for (const name of [...names]) if (belongsTo(name, owner) && !items.has(name)) names.delete(name);
        for (const name of items.keys()) names.add(name);
      },
    },
  },
  open: {
    session: {
      items: ({ open, gates }, owner) =>
        [...(open.get(owner) ?? [])].flatMap(([key, one]) => {
          const text = openJson(gates, one);
          return text === null ? [] : [[key, text] as const];
        }),
      json: true,
      restore({ open }, owner, items) {
        const known = open.get(owner);
        const all = [...items].sort(([, a], [, b]) => a.n - b.n);
        const kept = all.map(([key, one]) => {
          const here = known?.get(key);
          return [key, here && here.n === one.n ? here : { ...one, call: null, pending: null }] as const;
        });
        put(open, owner, kept.length > 0 ? new Map(kept) : null);
      },
    },
  },
};

/** Levels of trust, the least first. */
const LEVELS = ["untrusted", "provisional", "trusted"];

/** Both have counted on from the same number. */
function counted(base: number | undefined, ours: number, theirs: number): number {
  return Math.max(0, theirs + ours - (base ?? 0));
}

/** Both have added to the same list, which may have lost its oldest. */
function appended<V>(base: readonly V[] = [], ours: readonly V[], theirs: readonly V[]): V[] {
  const [before, here] = [base, ours].map((list) => list.map((one) => JSON.stringify(one))) as [string[], string[]];
  let gone = 0;
  while (gone < before.length && before.slice(gone).some((one, n) => one !== here[n])) gone++;
  return [...theirs, ...ours.slice(before.length - gone)];
}

/** The past of a tool, with its sets as lists. */
interface StoredTool {
  readonly calls: number;
  readonly answers: number;
  readonly meanTokens: number;
  readonly recent: readonly (readonly string[])[];
}

type Pairs<V> = readonly (readonly [string, V])[];
function mergeByKey<V>(
  base: Pairs<V> = [],
  ours: Pairs<V>,
  theirs: Pairs<V>,
  both: (base: V | undefined, ours: V, theirs: V) => V,
): Pairs<V> {
  const [before, merged] = [new Map(base), new Map(theirs)];
  for (const [key, one] of ours) merged.set(key, merged.has(key) ? both(before.get(key), one, merged.get(key)!) : one);
  return [...merged];
}

/** There may be many that nobody ends, and none changes while it is open. */
const openTexts = new WeakMap<OpenCall, string | null>();
/** Null for one that was let in and of which nothing is remembered: its end is that of a call that nobody knows. */
function openJson(gates: GateMemory, one: OpenCall): string | null {
  const known = openTexts.get(one);
  if (known !== undefined) return known;
  const { about, n, kind, call } = one;
  const notes = JSON.stringify(call ? saveCall(gates, call) : (one.notes ?? {}));
  const text =
    kind === "allowed" && notes === "{}" ? null : `{"about":${JSON.stringify(about)},"n":${n},"kind":"${kind}","notes":${notes}}`;
  openTexts.set(one, text);
  return text;
}

const belongsTo = (name: string, owner: string): boolean => `caller ${name}`.startsWith(`${owner} `);

function put<V>(memory: Map<string, V>, owner: string, value: V | null): void {
  if (value === null) memory.delete(owner);
  else memory.set(owner, value);
}

function replace<V>(memory: Map<string, V>, entries: Iterable<readonly [string, V]>): void {
  memory.clear();
  for (const [key, value] of entries) memory.set(key, value);
}

/** A field with its name and the memory it is in. */
interface Field<C> {
  readonly name: string;
  readonly codec: C;
  in(memory: RuntimeMemory): any;
}

const isFate = (entry: object): entry is Fate<any> => ["session", "workspace", "call", "dropped"].some((kind) => kind in entry);
const FIELDS: readonly (Omit<Field<never>, "codec"> & { readonly fate: Fate<any> })[] = [
  ...Object.entries(GATES).flatMap(([gate, entry]) => {
    const inside = (memory: RuntimeMemory) => memory.gates[gate as keyof GateMemory];
    if (isFate(entry)) return [{ name: gate, in: inside, fate: entry }];
    return Object.entries(entry).map(([field, fate]) => ({ name: `${gate}.${field}`, in: inside, fate: fate as Fate<any> }));
  }),
  ...Object.entries(BESIDES).map(([name, fate]) => ({ name, in: (memory: RuntimeMemory) => memory, fate })),
];
const fieldsOf = <C>(codecIn: (fate: Fate<any>) => C | undefined): readonly Field<C>[] =>
  FIELDS.flatMap(({ fate, ...field }) => {
    const codec = codecIn(fate);
    return codec ? [{ ...field, codec }] : [];
  });

/** Stored by session, and for all sessions of a workspace. */
export const SESSION_FIELDS = fieldsOf((fate) => ("session" in fate ? fate.session : undefined));
export const WORKSPACE_FIELDS = fieldsOf((fate) => ("workspace" in fate ? fate.workspace : undefined));
const CALL_FIELDS = fieldsOf((fate) => ("call" in fate ? fate.call : undefined));
export type KeptField = (typeof SESSION_FIELDS)[number];

function saveCall(gates: GateMemory, call: ToolCall): Readonly<Record<string, unknown>> {
  const memory = { gates } as RuntimeMemory;
  return Object.fromEntries(CALL_FIELDS.map(({ name, codec, in: inside }) => [name, codec.save(inside(memory), call)]));
}

/** What was remembered of a call that another process judged counts for this one. */
export function restoreCall(memory: RuntimeMemory, call: ToolCall, notes: Readonly<Record<string, unknown>>): void {
  for (const { name, codec, in: inside } of CALL_FIELDS) if (notes[name] !== undefined) codec.restore(inside(memory), call, notes[name]);
}
