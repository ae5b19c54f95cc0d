import type { Message } from "../../../core/ports/model.ts";
import { attempt } from "../../../text/attempt.ts";
import { foldedText, saidIn } from "../parts/words.ts";
import type { SourceRow } from "./store-source.ts";

/** How a value is sent, and what stands for it in a file from before there was such a column. */
export interface CopiedColumn {
  readonly type: "text" | "bigint" | "integer" | "bytea" | "boolean";
  readonly nullable?: true;
  readonly missing?: number | null;
}

/** A table of the SQLite file, and how its rows become those of the same table in PostgreSQL. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, CopiedColumn>>;
  /** How the file is asked, where that is more than the columns of the table. */
  readonly source?: string;
  /** SQL for columns that are not sent as they are, over the row `given`. */
  readonly made?: Readonly<Record<string, string>>;
  /** Rows whose parent was left out are left out. */
  readonly where?: string;
  /** Values that no column of the file holds; null for a row that cannot be read. */
  readonly derive?: (row: SourceRow) => SourceRow | null;
}

const TEXT = { type: "text" } as const;
const MAYBE_TEXT = { type: "text", nullable: true } as const;
const MOMENT = { type: "bigint" } as const;
const MAYBE_MOMENT = { type: "bigint", nullable: true } as const;
const WHOLE = { type: "integer" } as const;
const later = (type: "integer" | "bigint", missing = 0) => ({ type, missing }) as const;
const IN_CONVERSATION = "exists (select 1 from conversations c where c.id = given.conversation_id)";
const conversationOrNone = (column: string) => `(select c.id from conversations c where c.id = given.${column})`;

/** Messages are not here: their words are made with them. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  {
    name: "message_pieces",
    columns: { key: TEXT, n: WHOLE, conversation_id: TEXT, path: TEXT, text: TEXT },
    where: IN_CONVERSATION,
  },
  {
    name: "summaries",
    columns: {
      id: TEXT,
      conversation_id: TEXT,
      until_position: WHOLE,
      text: TEXT,
      opening: TEXT,
      compaction_method: TEXT,
      created_at: MOMENT,
    },
    where: IN_CONVERSATION,
  },
  {
    name: "open_questions",
    columns: {
      call_id: TEXT,
      workspace: TEXT,
      conversation_id: MAYBE_TEXT,
      body: TEXT,
      since: MOMENT,
      repeats: { type: "boolean" },
      answered: MAYBE_TEXT,
    },
    where: `given.conversation_id is null or ${IN_CONVERSATION}`,
    derive: questionOf,
  },
  {
    name: "tool_overflow",
    columns: {
      id: TEXT,
      scope: TEXT,
      conversation_id: MAYBE_TEXT,
      handle: MAYBE_MOMENT,
      body: { type: "bytea" },
      size: WHOLE,
      created_at: MOMENT,
      call_id: { ...MAYBE_TEXT, missing: null },
    },
    where: `given.conversation_id is null or ${IN_CONVERSATION}`,
  },
  {
    name: "goals",
    columns: { id: TEXT, workspace: TEXT, text: TEXT, status: TEXT, created_at: MOMENT, updated_at: MOMENT },
  },
  {
    name: "goal_tasks",
    columns: { goal_id: TEXT, n: WHOLE, title: TEXT, needs: TEXT, status: TEXT, note: MAYBE_TEXT },
    where: "exists (select 1 from goals g where g.id = given.goal_id)",
  },
  {
    name: "scheduled_tasks",
    columns: {
      id: TEXT,
      workspace: TEXT,
      task: TEXT,
      asked_for: TEXT,
      cron: MAYBE_TEXT,
      next_at: MAYBE_MOMENT,
      untrusted: WHOLE,
      bound_to: MAYBE_TEXT,
      bound_trust: MAYBE_TEXT,
      created_at: MOMENT,
      last_at: MAYBE_MOMENT,
      last_ok: { type: "integer", nullable: true },
      last_conversation: MAYBE_TEXT,
    },
    made: { last_conversation: conversationOrNone("last_conversation") },
  },
  {
    name: "trajectories",
    columns: { id: TEXT, workspace: TEXT, call_id: TEXT, steps: TEXT, last: TEXT, ended: TEXT, created_at: MOMENT },
  },
  {
    name: "savings",
    columns: { day: TEXT, kind: TEXT, rule: TEXT, confidence: TEXT, uses: MOMENT, raw_chars: MOMENT, chars: MOMENT },
  },
  { name: "reputation", columns: { model: TEXT, good: MOMENT, bad: MOMENT } },
  { name: "mcp_pins", columns: { server: TEXT, tool: TEXT, hash: TEXT, definition: TEXT, since: MOMENT } },
];

export const COPIED_CONVERSATIONS: CopiedTable = {
  name: "conversations",
  columns: {
    id: TEXT,
    workspace: TEXT,
    title: TEXT,
    created_at: MOMENT,
    updated_at: MOMENT,
    last_position: WHOLE,
    window_start: later("integer"),
    elided_until: later("integer"),
    counted_tokens: later("bigint"),
    counted_position: later("integer"),
    seen_untrusted: later("integer"),
    seen_skill: { ...MAYBE_TEXT, missing: null },
    seen_skill_trust: { ...MAYBE_TEXT, missing: null },
  },
};

export const COPIED_MESSAGES: CopiedTable = {
  name: "messages",
  columns: {
    conversation_id: TEXT,
    position: WHOLE,
    body: TEXT,
    pieces: { ...MAYBE_TEXT, missing: null },
    created_at: MOMENT,
  },
  where: IN_CONVERSATION,
};

/** What was said in messages, of which these are rows. */
export const COPIED_SAID: CopiedTable = {
  name: "said",
  columns: { conversation_id: TEXT, position: WHOLE, role: TEXT, text: TEXT, created_at: MOMENT, words: TEXT },
  derive: saidRow,
  made: { words: "words_of(given.words, (select c.workspace from conversations c where c.id = given.conversation_id))" },
  where: IN_CONVERSATION,
};

export const COPIED_MEMORIES: CopiedTable = {
  name: "memories",
  columns: {
    id: TEXT,
    workspace: MAYBE_TEXT,
    content: TEXT,
    hash: TEXT,
    untrusted: WHOLE,
    conversation_id: MAYBE_TEXT,
    created_at: MOMENT,
    words: TEXT,
  },
  derive: (row) => (typeof row.content === "string" ? { ...row, words: foldedText(row.content) } : null),
  made: { words: "words_of(given.words, given.workspace)", conversation_id: conversationOrNone("conversation_id") },
};

/** The number of a memory is another there, so it is found by its id. */
export const COPIED_VECTORS: CopiedTable = {
  name: "memory_vectors",
  columns: { memory: TEXT, embedder: TEXT, dims: WHOLE, vector: { type: "bytea" } },
  source: "select m.id as memory, v.embedder, v.dims, v.vector from memory_vectors v join memories m on m.n = v.memory order by v.id",
  made: { memory: "(select m.n from memories m where m.id = given.memory)" },
  where: "exists (select 1 from memories m where m.id = given.memory)",
};

/** Null where a message says nothing that is looked for. */
function saidRow({ conversation_id, position, body, created_at }: SourceRow): SourceRow | null {
  if (typeof body !== "string" || body.startsWith('{"role":"tool"')) return null;
  const message = attempt(() => JSON.parse(body) as Message, null);
  const text = message && attempt(() => saidIn(message), null);
  return text ? { conversation_id, position, created_at, role: message.role, text, words: foldedText(text) } : null;
}

/** The answer stands in the body there, and beside it here. */
function questionOf(row: SourceRow): SourceRow | null {
  try {
    const { answered, ...body } = JSON.parse(String(row.body));
    return {
      ...row,
      body: JSON.stringify(body),
      repeats: body.repeats === true,
      answered: answered === undefined ? null : JSON.stringify(answered),
    };
  } catch {
    return null;
  }
}
