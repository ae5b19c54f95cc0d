/** Compared byte by byte: what comes first must not hang on the server's locale. */
export const KEY = 'text collate "C"';
/** Whoever inserts need not name it: it is the connection's. */
export const TENANT = `tenant ${KEY} not null default current_setting('zeph.tenant')`;
const NUMBER = "n bigint generated always as identity";
const ofConversation = (column: string, then: string) =>
  `foreign key (tenant, ${column}) references conversations (tenant, id) on delete ${then}`;

const CONVERSATIONS = `
create table conversations (
  ${TENANT}, id ${KEY} not null, workspace ${KEY} not null, title text not null, created_at bigint not null, updated_at bigint not null,
  last_position integer not null default 0, window_start integer not null default 0, elided_until integer not null default 0,
  counted_tokens bigint not null default 0, counted_position integer not null default 0,
  seen_untrusted integer not null default 0, seen_skill text, seen_skill_trust text, last_write ${KEY},
  primary key (tenant, id));
create index conversations_by_update on conversations (tenant, updated_at, id);
create index conversations_by_workspace on conversations (tenant, workspace, updated_at, id);
create table messages (
  ${TENANT}, conversation_id ${KEY} not null, position integer not null, body text not null, pieces ${KEY}, created_at bigint not null,
  primary key (tenant, conversation_id, position), ${ofConversation("conversation_id", "cascade")});
create table message_pieces (
  ${TENANT}, key ${KEY} not null, n integer not null, conversation_id ${KEY} not null, path text not null, text text not null,
  primary key (tenant, key, n), ${ofConversation("conversation_id", "cascade")});
create index message_pieces_by_conversation on message_pieces (tenant, conversation_id);
create table said (
  ${TENANT}, ${NUMBER}, conversation_id ${KEY} not null, position integer not null, role text not null, text text not null,
  created_at bigint not null, words tsvector not null,
  primary key (tenant, n), unique (tenant, conversation_id, position),
  foreign key (tenant, conversation_id, position) references messages (tenant, conversation_id, position) on delete cascade);
create index said_words on said using gin (words);
create table summaries (
  ${TENANT}, ${NUMBER}, id ${KEY} not null, conversation_id ${KEY} not null, until_position integer not null, text text not null,
  opening text not null, compaction_method text not null check (compaction_method in ('triggered', 'manual', 'autonomous')),
  created_at bigint not null,
  primary key (tenant, id), ${ofConversation("conversation_id", "cascade")});
create index summaries_by_conversation on summaries (tenant, conversation_id, n);
create table open_questions (
  ${TENANT}, call_id ${KEY} not null, workspace ${KEY} not null, conversation_id ${KEY}, body text not null, since bigint not null,
  repeats boolean not null, answered text,
  primary key (tenant, call_id), ${ofConversation("conversation_id", "cascade")});
create index open_questions_by_conversation on open_questions (tenant, conversation_id) where conversation_id is not null;
create table tool_overflow (
  ${TENANT}, ${NUMBER}, id ${KEY} not null, scope ${KEY} not null, conversation_id ${KEY}, handle bigint, body bytea not null,
  size integer not null, created_at bigint not null,
  primary key (tenant, id), ${ofConversation("conversation_id", "cascade")});
create index tool_overflow_by_scope on tool_overflow (tenant, scope, handle, created_at) where handle is not null;
create index tool_overflow_by_handle on tool_overflow (tenant, handle, created_at) where handle is not null;
create index tool_overflow_by_age on tool_overflow (tenant, created_at, n);
create index tool_overflow_by_conversation on tool_overflow (tenant, conversation_id) where conversation_id is not null;
`;

const PLANS = `
create table goals (
  ${TENANT}, ${NUMBER}, id ${KEY} not null, workspace ${KEY} not null, text text not null,
  status text not null check (status in ('active', 'paused', 'done', 'cancelled')), created_at bigint not null, updated_at bigint not null,
  primary key (tenant, id));
create unique index goals_active on goals (tenant, workspace) where status = 'active';
create index goals_by_workspace on goals (tenant, workspace, n);
create table goal_tasks (
  ${TENANT}, goal_id ${KEY} not null, n integer not null, title text not null, needs text not null,
  status text not null check (status in ('open', 'active', 'done', 'failed')), note text,
  primary key (tenant, goal_id, n), foreign key (tenant, goal_id) references goals (tenant, id) on delete cascade);
create table scheduled_tasks (
  ${TENANT}, ${NUMBER}, id ${KEY} not null, workspace ${KEY} not null, task text not null, asked_for text not null, cron text,
  next_at bigint, untrusted integer not null, bound_to text, bound_trust text, created_at bigint not null, last_at bigint,
  last_ok integer, last_conversation ${KEY},
  primary key (tenant, id), ${ofConversation("last_conversation", "set null (last_conversation)")});
create index scheduled_tasks_due on scheduled_tasks (tenant, workspace, next_at, n) where next_at is not null;
create index scheduled_tasks_by_conversation on scheduled_tasks (tenant, last_conversation) where last_conversation is not null;
create table trajectories (
  ${TENANT}, ${NUMBER}, id ${KEY} not null, workspace ${KEY} not null, call_id ${KEY} not null, steps text not null, last ${KEY} not null,
  ended text not null check (ended in ('ok', 'error', 'violation', 'unacceptable')), created_at bigint not null,
  primary key (tenant, id), unique (tenant, call_id));
create index trajectories_by_ending on trajectories (tenant, workspace, ended, n);
create index trajectories_by_age on trajectories (tenant, created_at);
create index trajectories_errors on trajectories (tenant, workspace, last) where ended = 'error';
create table reputation (${TENANT}, model ${KEY} not null, good bigint not null, bad bigint not null, primary key (tenant, model));
create table mcp_pins (
  ${TENANT}, server ${KEY} not null, tool ${KEY} not null, hash text not null, definition text not null, since bigint not null,
  primary key (tenant, server, tool));
`;

const MEMORIES = `
create table memories (
  ${TENANT}, ${NUMBER}, id ${KEY} not null, workspace ${KEY}, content text not null, hash ${KEY} not null, untrusted integer not null,
  conversation_id ${KEY}, created_at bigint not null, words tsvector not null,
  primary key (tenant, n), unique (tenant, id), unique nulls not distinct (tenant, workspace, hash),
  ${ofConversation("conversation_id", "set null (conversation_id)")});
create index memories_words on memories using gin (words);
create index memories_by_age on memories (tenant, created_at, n);
create index memories_by_workspace on memories (tenant, workspace, created_at, n);
create index memories_by_conversation on memories (tenant, conversation_id) where conversation_id is not null;
create table memory_vectors (
  ${TENANT}, id bigint generated always as identity, memory bigint not null, embedder ${KEY} not null, dims integer not null,
  vector bytea not null,
  primary key (tenant, id), unique (tenant, memory, embedder),
  foreign key (tenant, memory) references memories (tenant, n) on delete cascade);
create index memory_vectors_by_embedder on memory_vectors (tenant, embedder, id);
`;

/**
 * The server guesses badly how many rows have a word that it does not know when it plans, and would then read all of them, or all of a
 * tenant: `tenant || ''` is no use to an index.
 */
const SEARCHES = "language plpgsql stable security definer rows 20 set search_path from current set enable_seqscan = off";

/**
 * Under row security the server does not use an index of words: it would have to judge a row by its words before it knows whose it is. So the
 * words of a row hold one more, for its tenant and workspace, and functions of the owner look for both together. They hand out numbers
 * of rows; whoever asks reads the rows themselves, under row security.
 */
const SEARCH = `
create text search dictionary zeph_stem (template = snowball, language = english);
create text search configuration zeph (parser = pg_catalog.default);
alter text search configuration zeph add mapping for
  asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart, int, uint, float, sfloat, version
  with zeph_stem;
create function place_word(workspace text) returns text language sql stable
  as $$ select '@' || md5(current_setting('zeph.tenant') || coalesce(' ' || workspace, '')) $$;
create function words_of(folded text, workspace text) returns tsvector language sql stable set search_path from current
  as $$ select to_tsvector('zeph', folded) || array_to_tsvector(array[place_word(workspace)]) $$;
create function words_query(asked text, variadic places text[]) returns tsquery language sql stable set search_path from current as $$
  select case when numnode(q) > 0 then (select string_agg(quote_literal(place), '|') from unnest(places) as place)::tsquery && q end
  from to_tsquery('zeph', asked) as q $$;
create function count_words(asked text[], here text, most integer) returns table (term text, memories bigint, said bigint)
  ${SEARCHES} as $$
  begin return query
    with words as materialized (
      select one, words_query(one, place_word(here), place_word(null)) as saved, words_query(one, place_word(here)) as heard
      from unnest(asked) as one)
    select w.one,
      (select count(*) from (select 1 from memories m where m.words @@ w.saved limit most) as bounded),
      (select count(*) from (select 1 from said s where s.words @@ w.heard limit most) as bounded)
    from words w;
  end $$;
create function rank_memories(asked text, here text, most integer, wanted integer) returns table (key bigint, score real)
  ${SEARCHES} as $$
  declare
    wish tsquery := to_tsquery('zeph', asked);
    wish_here tsquery := words_query(asked, place_word(here), place_word(null));
  begin return query
    select newest.n, ts_rank(newest.words, wish) from (
      select m.n, m.words from memories m
      where m.words @@ wish_here and m.tenant || '' = current_setting('zeph.tenant') order by m.n desc limit most) as newest
    order by 2 desc, 1 desc limit wanted;
  end $$;
create function rank_said(asked text, here text, most integer, wanted integer, asking text) returns table (key bigint, score real)
  ${SEARCHES} as $$
  declare
    wish tsquery := to_tsquery('zeph', asked);
    wish_here tsquery := words_query(asked, place_word(here));
  begin return query
    with found as materialized (
      select s.tenant, s.n, s.conversation_id, s.position from said s
      where s.words @@ wish_here and s.tenant || '' = current_setting('zeph.tenant')),
    newest as (
      select f.tenant, f.n from found f join conversations c on c.tenant = f.tenant and c.id = f.conversation_id
      where c.id is distinct from asking or f.position <= c.window_start order by f.n desc limit most)
    select s.n, ts_rank(s.words, wish) from newest join said s on s.tenant = newest.tenant and s.n = newest.n
    order by 2 desc, 1 desc limit wanted;
  end $$;
revoke all on function place_word, words_of, words_query, count_words, rank_memories, rank_said from public;
grant execute on function place_word, words_of, words_query, count_words, rank_memories, rank_said to zeph_worker, zeph_gateway;
`;

/** What one SQLite file holds, but for what is about one machine: trust, the ends of audit files, spans of a stranger's writing. */
export const STORE_TABLES = [CONVERSATIONS, PLANS, MEMORIES, SEARCH].map((part) => part.trim()).join("\n");
