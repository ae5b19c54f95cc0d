/**
 * inbox: what was said to a session. `task` is the turn that has it, `meant` the one that waited when it was said; `position` is how long the conversation was before it was said there.
 * folders.place: the worker's root that the session's folder lies below. Whoever finds their own there has the folder as it was left. folders.repo: a session that was given a repository keeps it.
 * snapshots: of folders. A commit is named by its hash: where it lies nobody is trusted.
 *
 * A turn works for one person: what others said waits for a turn of their own, or they could answer the questions that come of it.
 *
 * say_in_session: the message is there before anybody looks whether a task waits, so the task that waits will see it. Whose task it is stands in its payload, which is searched and not parsed:
 * its text may hold a NUL or half a surrogate pair, and then the server does not read it. Inside of a text every quote is escaped, so nothing else can look like it.
 * keep_messages_with_task: a turn that ended before it began has what it would have said, so that no later turn says it and whoever waits for it finds an end. That holds
 * for every end: of a failed task, too, people hear that it failed, and say it again themselves. A message with a task of its own, and one that another turn took along, are not touched.
 * begin_turn: what a turn needs to know, in one answer; null where the session is somebody else's.
 */
export const SESSION_TABLES = `
create table inbox (
  tenant text collate "C" not null,
  session text collate "C" not null,
  n bigint not null,
  key text collate "C" not null,
  message text not null,
  person text,
  meant uuid,
  task uuid,
  position bigint,
  created_at timestamptz not null default now(),
  primary key (tenant, session, n),
  unique (tenant, session, key),
  foreign key (tenant, session) references sessions
);
create index inbox_waiting on inbox (tenant, session, n) where task is null;
create table folders (
  tenant text collate "C" not null,
  session text collate "C" not null,
  place text not null,
  repo text,
  primary key (tenant, session),
  foreign key (tenant, session) references sessions
);
create table snapshots (
  tenant text collate "C" not null,
  session text collate "C" not null,
  n bigint not null,
  commit text not null,
  place text not null check (place in ('repository', 'bundle')),
  repo text not null,
  epoch bigint not null,
  at timestamptz not null default now(),
  primary key (tenant, session, n),
  foreign key (tenant, session) references sessions
);
create function say_in_session(p_session text, p_key text, p_message text, p_person text) returns table (n bigint, task uuid, waits boolean)
  language plpgsql set search_path from current as $$
  #variable_conflict use_column
  declare
    v_tenant constant text := current_setting('zeph.tenant');
    v_n bigint;
    v_task uuid;
    v_meant uuid;
  begin
    insert into sessions (tenant, id) values (v_tenant, p_session) on conflict do nothing;
    perform 1 from sessions where tenant = v_tenant and id = p_session for no key update;
    insert into inbox (tenant, session, n, key, message, person)
      select v_tenant, p_session, coalesce(max(i.n), 0) + 1, p_key, p_message, p_person from inbox i where i.tenant = v_tenant and i.session = p_session
      on conflict (tenant, session, key) do nothing returning inbox.n into v_n;
    if v_n is null then
      select i.n, i.task into v_n, v_task from inbox i where i.tenant = v_tenant and i.session = p_session and i.key = p_key;
    end if;
    select t.id into v_meant from tasks t where t.tenant = v_tenant and t.session = p_session and t.state = 'queued'
      and (position('"person":' || coalesce(to_json(p_person)::text, '') in t.payload) > 0) = (p_person is not null) order by t.n limit 1;
    update inbox i set meant = v_meant where i.tenant = v_tenant and i.session = p_session and i.n = v_n and i.task is null and v_meant is not null;
    return query select v_n, v_task, v_meant is not null;
  end $$;
create function keep_messages_with_task() returns trigger
  language plpgsql set search_path from current set enable_seqscan = off as $$
  begin
    update inbox i set task = new.id
      where i.tenant = new.tenant and i.session = new.session and i.task is null
        and (i.meant = new.id or new.key = 'inbox ' || new.session || ' ' || i.n);
    return null;
  end $$;
create trigger tasks_keep_messages after update of state on tasks for each row
  when (old.state in ('queued', 'running') and new.state not in ('queued', 'running')) execute function keep_messages_with_task();
create function begin_turn(
  p_session text, p_epoch bigint, p_task uuid, p_message text, p_person text, p_place text, p_repo text
) returns jsonb
  language plpgsql set search_path from current as $$
  declare
    v_tenant constant text := current_setting('zeph.tenant');
    v_before text;
    v_repo text;
  begin
    perform 1 from sessions where tenant = v_tenant and id = p_session and epoch = p_epoch for no key update;
    if not found then return null; end if;
    if p_message <> '' then
      insert into inbox (tenant, session, n, key, message, person, task)
        select v_tenant, p_session, coalesce(max(n), 0) + 1, 'task ' || p_task, p_message, p_person, p_task from inbox
        where tenant = v_tenant and session = p_session
        on conflict (tenant, session, key) do nothing;
    end if;
    update inbox set task = p_task
      where tenant = v_tenant and session = p_session and task is null and person is not distinct from p_person;
    select place into v_before from folders where tenant = v_tenant and session = p_session;
    insert into folders as f (tenant, session, place, repo) values (v_tenant, p_session, p_place, p_repo)
      on conflict (tenant, session) do update set place = excluded.place, repo = coalesce(excluded.repo, f.repo)
      returning f.repo into v_repo;
    return jsonb_build_object(
      'before', v_before,
      'repo', v_repo,
      'said', (select max(position) from inbox where tenant = v_tenant and session = p_session),
      'messages', coalesce((
        select jsonb_agg(jsonb_build_object('n', n, 'text', message, 'position', position) order by n) from inbox
        where tenant = v_tenant and session = p_session and task = p_task), '[]'),
      'snapshot', (
        select jsonb_build_object('n', n, 'commit', commit, 'place', place, 'repo', repo) from snapshots
        where tenant = v_tenant and session = p_session order by n desc limit 1));
  end $$;
create function mark_said(p_session text, p_epoch bigint, p_task uuid, p_position bigint) returns boolean
  language plpgsql set search_path from current as $$
  declare
    v_tenant constant text := current_setting('zeph.tenant');
  begin
    perform 1 from sessions where tenant = v_tenant and id = p_session and epoch = p_epoch for no key update;
    if not found then return false; end if;
    update inbox set position = p_position where tenant = v_tenant and session = p_session and task = p_task and position is null;
    return true;
  end $$;
create function record_snapshot(p_session text, p_epoch bigint, p_n bigint, p_commit text, p_place text, p_repo text) returns jsonb
  language plpgsql set search_path from current as $$
  declare
    v_tenant constant text := current_setting('zeph.tenant');
    v_old jsonb;
  begin
    perform 1 from sessions where tenant = v_tenant and id = p_session and epoch = p_epoch for no key update;
    if not found then return null; end if;
    insert into snapshots (tenant, session, n, commit, place, repo, epoch) values (v_tenant, p_session, p_n, p_commit, p_place, p_repo, p_epoch)
      on conflict do nothing;
    with gone as (
      delete from snapshots where tenant = v_tenant and session = p_session and n < (
        select max(b.n) from snapshots b where b.tenant = v_tenant and b.session = p_session and b.n < p_n)
      returning n, commit, place)
    select jsonb_agg(jsonb_build_object('n', n, 'commit', commit, 'place', place)) into v_old from gone;
    return coalesce(v_old, '[]');
  end $$;
revoke execute on function say_in_session, keep_messages_with_task, begin_turn, mark_said, record_snapshot from public;
grant execute on function say_in_session to zeph_worker, zeph_gateway;
grant execute on function begin_turn, mark_said, record_snapshot to zeph_worker;
`;
