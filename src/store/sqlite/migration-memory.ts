/** So many characters of a message are found by their words. */
const INDEXED = 100_000;

/**
 * What a person or a model said in a message, null for anything else: results of calls, thinking, what others said in the person's
 * place, and a body that cannot be read. Most bytes of a conversation are results, and their first letters tell them, so that
 * nobody parses them.
 */
const words = (body: string) => `
  case
    when typeof(${body}) <> 'text' or substr(${body}, 1, 14) = '{"role":"tool"' then null
    when not json_valid(${body}) then null
    when json_extract(${body}, '$.role') = 'user' and json_extract(${body}, '$.from') is null
      then case when json_type(${body}, '$.text') = 'text' then json_extract(${body}, '$.text') end
    when json_extract(${body}, '$.role') = 'assistant'
      then (select group_concat(case when part.type = 'object' and json_extract(part.value, '$.type') = 'text'
                                     then json_extract(part.value, '$.text') end, char(10))
            from json_each(${body}, '$.parts') as part)
  end`;

/** The rows of `said` for messages: `from` is a table, or empty for one row of a trigger. */
const listen = (row: string, from: string) => `
  insert into said (conversation_id, position, role, text, created_at)
  select conversation_id, position, role, substr(replace(text, char(0), ' '), 1, ${INDEXED}), created_at
  from (
    select ${row}.conversation_id as conversation_id, ${row}.position as position, ${row}.created_at as created_at,
      ${words(`${row}.body`)} as text,
      case when json_valid(${row}.body) then json_extract(${row}.body, '$.role') end as role
    ${from}
  )
  where trim(text) <> '';`;

/** A full-text index over a column of a table, kept in step by triggers. What is deleted leaves no words behind in it. */
const indexed = (index: string, table: string, column: string) => `
  create virtual table ${index} using fts5 (${column}, content = '${table}', content_rowid = 'n', tokenize = 'porter unicode61 remove_diacritics 2');
  insert into ${index} (${index}, rank) values ('secure-delete', 1);
  create trigger ${index}_insert after insert on ${table} begin
    insert into ${index} (rowid, ${column}) values (new.n, new.${column});
  end;
  create trigger ${index}_delete after delete on ${table} begin
    insert into ${index} (${index}, rowid, ${column}) values ('delete', old.n, old.${column});
  end;
  create trigger ${index}_update after update of ${column} on ${table} begin
    insert into ${index} (${index}, rowid, ${column}) values ('delete', old.n, old.${column});
    insert into ${index} (rowid, ${column}) values (new.n, new.${column});
  end;`;

/**
 * Memories, the words of conversations, summaries, goals and tasks for later.
 * The words have keys of their own, because the row numbers of `messages` change when the file is vacuumed.
 */
export const MEMORY_STEP = `
  alter table conversations add column seen_untrusted integer not null default 0;
  alter table conversations add column seen_skill text;
  alter table conversations add column seen_skill_trust text;

  create table memories (
    n integer primary key,
    id text not null unique,
    workspace text,
    content text not null,
    hash text not null,
    untrusted integer not null,
    conversation_id text references conversations (id) on delete set null,
    created_at integer not null
  );
  create index memories_by_age on memories (created_at, n);
  create index memories_by_workspace on memories (workspace, created_at, n);
  create index memories_by_hash on memories (hash);
  create index memories_by_conversation on memories (conversation_id) where conversation_id is not null;
  ${indexed("memory_words", "memories", "content")}
  create table memory_vectors (
    id integer primary key autoincrement,
    memory integer not null references memories (n) on delete cascade,
    embedder text not null,
    dims integer not null,
    vector blob not null,
    unique (memory, embedder)
  );
  create index memory_vectors_by_embedder on memory_vectors (embedder, id);

  create table said (
    n integer primary key,
    conversation_id text not null,
    position integer not null,
    role text not null,
    text text not null,
    created_at integer not null,
    unique (conversation_id, position),
    foreign key (conversation_id, position) references messages (conversation_id, position) on delete cascade
  );
  ${indexed("said_words", "said", "text")}
  ${listen("messages", "from messages")}
  create trigger said_insert after insert on messages begin ${listen("new", "")} end;
  create trigger said_update after update of body on messages begin
    delete from said where conversation_id = old.conversation_id and position = old.position;
    ${listen("new", "")}
  end;

  create table summaries (
    n integer primary key,
    id text not null unique,
    conversation_id text not null references conversations (id) on delete cascade,
    until_position integer not null,
    text text not null,
    opening text not null,
    compaction_method text not null check (compaction_method in ('triggered', 'manual', 'autonomous')),
    created_at integer not null
  );
  create index summaries_by_conversation on summaries (conversation_id, n);

  create table goals (
    n integer primary key,
    id text not null unique,
    workspace text not null,
    text text not null,
    status text not null check (status in ('active', 'paused', 'done', 'cancelled')),
    created_at integer not null,
    updated_at integer not null
  );
  create unique index goals_active on goals (workspace) where status = 'active';
  create index goals_by_workspace on goals (workspace, n);
  create table goal_tasks (
    goal_id text not null references goals (id) on delete cascade,
    n integer not null,
    title text not null,
    needs text not null,
    status text not null check (status in ('open', 'active', 'done', 'failed')),
    note text,
    primary key (goal_id, n)
  );

  create table scheduled_tasks (
    n integer primary key,
    id text not null unique,
    workspace text not null,
    task text not null,
    asked_for text not null,
    cron text,
    next_at integer,
    untrusted integer not null,
    bound_to text,
    bound_trust text,
    created_at integer not null,
    last_at integer,
    last_ok integer,
    last_conversation text references conversations (id) on delete set null
  );
  create index scheduled_tasks_due on scheduled_tasks (workspace, next_at) where next_at is not null;
  create index scheduled_tasks_by_conversation on scheduled_tasks (last_conversation) where last_conversation is not null;`;
