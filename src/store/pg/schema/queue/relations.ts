/**
 * tenants.vt: where the tenant's next task stands in the fair order.
 * tenants.queued_most: not fewer tasks than wait, so that they are counted only when there may be too many.
 * workers.tenant: `*` takes everybody's tasks. workers.instance: the process that has the name now.
 * sessions.epoch: only rises; whoever writes names the one they were given.
 * limits.key: empty is the limit of everything that a tenant runs.
 * No index of tasks begins with the tenant: while a table is new, the server takes any index that begins with what it looks for, and keeps that plan.
 * tasks.rank: the fair order between tenants; tasks.n: the order within a session. tasks.waits: another task of its session comes first.
 * tasks.takes: how often it was taken, also where the attempt did not count.
 * tasks.prefer: the worker where the session's folder lies; others see the task at others_from.
 */
export const QUEUE_RELATIONS = `
create table tenants (
  tenant text collate "C" primary key,
  weight double precision not null default 1 check (weight > 0),
  vt double precision not null default 0,
  queued_most integer not null default 0
);
create table workers (
  tenant text collate "C" not null,
  name text collate "C" primary key,
  instance uuid not null,
  version text not null,
  state text not null check (state in ('ready', 'draining', 'gone')),
  slots integer not null,
  running integer not null default 0,
  labels text[] not null,
  seen timestamptz not null default now()
);
create table sessions (
  tenant text collate "C" not null,
  id text collate "C" not null,
  holder text collate "C",
  epoch bigint not null default 0,
  lease_until timestamptz,
  affinity text collate "C",
  created_at timestamptz not null default now(),
  primary key (tenant, id)
);
create index sessions_leases on sessions (lease_until) where holder is not null;
create table limits (
  tenant text collate "C" not null,
  key text collate "C" not null,
  max_running integer check (max_running > 0),
  not_before timestamptz not null default '-infinity',
  primary key (tenant, key)
);
create table batches (
  tenant text collate "C" not null,
  name text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (tenant, name)
);
create table tasks (
  tenant text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  n bigint generated always as identity,
  key text collate "C" not null,
  session text collate "C" not null,
  batch text collate "C",
  limit_key text collate "C" not null default '',
  label text collate "C" not null default '',
  format integer not null,
  payload text not null,
  on_unknown text not null default 'tell' check (on_unknown in ('tell', 'stop')),
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'unknown', 'cancelled')),
  waits boolean not null,
  rank double precision not null,
  not_before timestamptz not null default now(),
  prefer text collate "C",
  others_from timestamptz,
  attempt integer not null default 0,
  takes integer not null default 0,
  max_attempts integer not null check (max_attempts > 0),
  holder text collate "C",
  instance uuid,
  epoch bigint,
  version text,
  cancel text,
  unknown integer not null default 0,
  result text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (id, tenant),
  unique (key, tenant),
  foreign key (tenant, session) references sessions,
  foreign key (tenant, batch) references batches
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index tasks_free on tasks (label, rank) where state = 'queued' and not waits and limit_key = '';
create index tasks_lanes on tasks (limit_key, tenant, label, rank) where state = 'queued' and not waits;
create index tasks_running on tasks (limit_key, tenant) where state = 'running';
create index tasks_session on tasks (session, tenant, n) where state in ('queued', 'running');
create index tasks_batch on tasks (batch, tenant, n) where batch is not null;
create index tasks_newest on tasks (n, tenant);
create table calls (
  tenant text collate "C" not null,
  task uuid not null,
  call text collate "C" not null,
  effect text not null,
  epoch bigint not null,
  state text not null check (state in ('intent', 'done', 'unknown')),
  outcome text,
  at timestamptz not null default now(),
  primary key (tenant, task, call),
  foreign key (task, tenant) references tasks on delete cascade
);
create index calls_by_call on calls (call, tenant);
`;
