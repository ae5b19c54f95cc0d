import type { Schema } from "../sqlite/migrations.ts";

/** "ZepI": an index is never taken for a store. */
const MARK = 0x5a657049;

/**
 * Numbers in place of names: a filter then reads a few megabytes however long the log is. The lines themselves stay in the log;
 * the index says where. `texts` stands apart because most questions do not look at it, and
 * repeats what is filtered by, so that a search for a word reads nothing else.
 */
const STEP = `create table files (
   id integer primary key,
   name text not null unique,
   identity text not null,
   end integer not null,
   tail text,
   lines integer not null,
   garbled integer not null,
   ts integer not null
 );
 create table state (next integer not null);
 insert into state values (1);
 create table names (id integer primary key, name text not null unique);
 create table calls (
   id integer primary key,
   file integer not null,
   line integer not null,
   at integer not null,
   size integer not null,
   ts integer not null,
   call_id text,
   session integer,
   tool integer,
   outcome integer,
   gate integer,
   caller integer
 );
 create index calls_by_time on calls (ts, id, tool, outcome, gate, caller, session);
 create index calls_by_call on calls (call_id) where call_id is not null;
 create index calls_by_session on calls (session, ts, id);
 create table texts (
   id integer primary key,
   ts integer not null,
   tool integer,
   outcome integer,
   gate integer,
   caller integer,
   session integer,
   text text not null
 );
 create table others (
   id integer primary key,
   file integer not null,
   line integer not null,
   at integer not null,
   size integer not null,
   ts integer not null,
   kind text not null,
   call_id text,
   session integer,
   host integer,
   way integer,
   times integer
 );
 create index others_by_call on others (call_id) where call_id is not null;
 create index others_by_session on others (session, ts);
 create index others_by_time on others (ts, host, way, times) where host is not null;
 create table counts (file integer not null, what text not null, name integer not null, n integer not null, primary key (file, what, name)) without rowid;`;

export const INDEX_SCHEMA: Schema = { mark: MARK, steps: [STEP, "alter table files drop column garbled"] };
