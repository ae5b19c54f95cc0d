/**
 * Policy, quotas, approvals, people: what a tenant's runtimes are allowed, and by whom.
 *
 * close_questions_of_task: nobody is asked about a task that is over, also where its worker could not say so. Numbers of sessions rise, so a task that was never taken, and has none, closes no question of the one that runs.
 */
export const GOVERNANCE_TABLES = `
create table policies (
  tenant text collate "C" not null default current_setting('zeph.tenant'),
  version bigint not null check (version > 0),
  bundle text not null,
  hash text collate "C" not null,
  pushed_by text collate "C" not null,
  pushed_at timestamptz not null default now(),
  again bigint,
  primary key (tenant, version)
);
create table quotas (
  tenant text collate "C" not null default current_setting('zeph.tenant'),
  person text collate "C" not null,
  period text collate "C" not null,
  used integer not null default 0 check (used >= 0),
  most integer not null check (most >= 0),
  primary key (tenant, person, period)
);
create table approvals (
  tenant text collate "C" not null default current_setting('zeph.tenant'),
  id uuid not null default gen_random_uuid(),
  session text collate "C" not null,
  epoch bigint not null default 0,
  asked_by text collate "C" not null,
  question text not null,
  digest text collate "C" not null,
  shown text collate "C" not null,
  asked_at timestamptz not null default now(),
  until timestamptz not null,
  answer text check (answer in ('once', 'session', 'edits', 'always', 'no')),
  answered_by text collate "C",
  answered_at timestamptz,
  reason text,
  used_at timestamptz,
  closed_at timestamptz,
  primary key (tenant, id),
  constraint approvals_by_another check (answered_by is null or lower(answered_by) <> lower(asked_by)),
  constraint approvals_answer_whole check ((answer is null) = (answered_by is null) and (answer is null) = (answered_at is null))
);
create unique index approvals_open on approvals (tenant, session, asked_by, digest, shown) where used_at is null and closed_at is null;
create index approvals_waiting on approvals (tenant, asked_at) where answer is null and closed_at is null;
create function close_questions_of_task() returns trigger
  language plpgsql set search_path from current set enable_seqscan = off as $$
  begin
    update approvals a set closed_at = now()
      where a.tenant = new.tenant and a.session = new.session and a.epoch <= new.epoch and a.used_at is null and a.closed_at is null;
    return null;
  end $$;
create trigger tasks_close_questions after update of state on tasks for each row
  when (old.state in ('queued', 'running') and new.state not in ('queued', 'running')) execute function close_questions_of_task();
create table grants (
  tenant text collate "C" not null default current_setting('zeph.tenant'),
  session text collate "C" not null,
  approval uuid not null,
  kind text not null check (kind in ('call', 'edits')),
  asked_by text collate "C" not null,
  digest text collate "C" not null,
  shown text collate "C" not null,
  given_by text collate "C" not null,
  given_at timestamptz not null default now(),
  until timestamptz not null,
  primary key (tenant, approval),
  foreign key (tenant, approval) references approvals (tenant, id) on delete cascade
);
create index grants_of_session on grants (tenant, session);
create table tokens (
  tenant text collate "C" not null default current_setting('zeph.tenant'),
  id text collate "C" not null,
  hash text collate "C" not null unique,
  person text collate "C" not null,
  roles text[] not null check (roles <@ array['user', 'approver', 'operator', 'auditor']),
  made_by text collate "C" not null,
  made_at timestamptz not null default now(),
  until timestamptz,
  revoked_at timestamptz,
  primary key (tenant, id)
);
create table buckets (
  tenant text collate "C" not null default current_setting('zeph.tenant'),
  key text collate "C" not null,
  per_minute integer not null check (per_minute > 0),
  level double precision not null,
  filled_at timestamptz not null default clock_timestamp(),
  not_before timestamptz,
  primary key (tenant, key)
);
create function push_policy(p_bundle text, p_hash text, p_by text, p_again bigint) returns bigint language plpgsql as $$
  declare made bigint;
  begin
    perform pg_advisory_xact_lock(hashtextextended('policy ' || current_setting('zeph.tenant'), 1516597352));
    insert into policies (version, bundle, hash, pushed_by, again)
      select coalesce(max(version), 0) + 1, p_bundle, p_hash, p_by, p_again from policies
      returning version into made;
    return made;
  end
  $$;
create or replace function beat_news(p_tenants text[]) returns jsonb language sql stable set search_path from current as $$
  select jsonb_build_object('policy', coalesce(jsonb_object_agg(p.tenant, p.version), '{}'))
    from (select tenant, max(version) as version from policies where tenant = any (p_tenants) group by tenant) p
  $$;
create function take_quota(p_person text, p_most integer, p_block integer, out got integer, out day text, out left_ms double precision)
  language plpgsql security definer set search_path from current as $$
  declare start timestamp := date_trunc('day', clock_timestamp() at time zone 'utc');
  begin
    day := to_char(start, 'YYYY-MM-DD');
    left_ms := extract(epoch from start + interval '1 day' - clock_timestamp() at time zone 'utc') * 1000;
    insert into quotas (person, period, most) values (p_person, day, p_most)
      on conflict (tenant, person, period) do update set most = excluded.most;
    update quotas q set used = q.used + greatest(0, least(p_block, p_most - q.used))
      from (select used from quotas where tenant = current_setting('zeph.tenant') and person = p_person and period = day) before
      where q.tenant = current_setting('zeph.tenant') and q.person = p_person and q.period = day
      returning q.used - before.used into got;
  end
  $$;
create function give_quota(p_person text, p_period text, p_count integer) returns void
  language sql security definer set search_path from current as $$
    update quotas set used = greatest(0, used - p_count)
      where tenant = current_setting('zeph.tenant') and person = p_person and period = p_period and p_count > 0
  $$;
create function find_token(p_hash text) returns table (tenant text, person text, roles text[])
  language sql stable security definer set search_path from current as $$
    select t.tenant, t.person, t.roles from tokens t
      where t.hash = p_hash and t.revoked_at is null and (t.until is null or t.until > now())
  $$;
create function take_from_bucket(p_key text, p_want integer, out got integer, out wait_ms double precision) language plpgsql as $$
  declare b buckets; at timestamptz;
  begin
    select * into b from buckets where tenant = current_setting('zeph.tenant') and key = p_key for update;
    at := clock_timestamp();
    got := p_want;
    wait_ms := 0;
    if b.key is null then
      return;
    end if;
    b.level := least(b.per_minute, b.level + greatest(0, extract(epoch from at - b.filled_at)) * b.per_minute / 60.0);
    got := case when b.not_before > at then 0 else least(p_want, floor(b.level)::integer) end;
    if got = 0 then
      wait_ms := greatest(extract(epoch from b.not_before - at) * 1000, (1 - least(1, b.level)) * 60000.0 / b.per_minute, 1);
    end if;
    update buckets set level = b.level - got, filled_at = at where tenant = b.tenant and key = p_key;
  end
  $$;
`;

/**
 * Who may not do what, after every table was opened to both roles. A worker runs what models ask for: it asks questions and never answers them, follows
 * the policy and never writes it, and knows no token. Versions of the policy are never changed by anybody.
 */
export const GOVERNANCE_RIGHTS: readonly string[] = [
  "revoke insert, update, delete on policies from zeph_worker",
  "revoke update, delete on policies from zeph_gateway",
  "revoke insert, update, delete on quotas from zeph_worker, zeph_gateway",
  "revoke insert, update, delete on approvals from zeph_worker",
  "grant insert (session, epoch, asked_by, question, digest, shown, until), update (epoch, used_at, closed_at) on approvals to zeph_worker",
  "revoke insert, update, delete on grants from zeph_worker",
  "revoke all on tokens from zeph_worker",
  "revoke all on function close_questions_of_task() from public",
  "revoke all on function push_policy, find_token, take_quota, give_quota, take_from_bucket from public",
  "grant execute on function push_policy, find_token to zeph_gateway",
  "grant execute on function take_quota, give_quota, take_from_bucket to zeph_worker, zeph_gateway",
];
