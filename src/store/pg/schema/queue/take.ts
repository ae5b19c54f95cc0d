/**
 * take_tasks: the next tasks and their sessions in one transaction. Tasks and sessions that somebody has locked are skipped, so nobody waits there.
 * - Rows of limits are locked first, and what runs is counted in a second statement, whose picture is from after the lock. Two who count at once would both find room.
 *   What became free after the rows were locked, because the task before it ended, is under a limit that nobody holds: it is left for the next taking.
 * - A lane is what shares a limit. Each has an index of its own order, so a full one costs nothing.
 * - p_known is given after a take whose answer was lost: what this process holds and does not know of comes first.
 * reap_tasks: what workers have left whose lease is over. Rows of workers come before rows of sessions, as in a beat.
 * - p_heard is the server's time in the last answer that the caller had when it asked. A question that lay around while the server stood still finds every lease over, and changes nothing.
 */
export const TAKE_FUNCTIONS = `
create function is_waiting(p_tenant text, p_key text) returns boolean language plpgsql stable set search_path from current set enable_seqscan = off as $$
  begin
    if p_key = '' then
      return exists (select 1 from tasks where tenant = p_tenant and state = 'queued' and not waits);
    end if;
    return exists (select 1 from tasks where limit_key = p_key and tenant = p_tenant and state = 'queued' and not waits);
  end $$;
create function take_tasks(
  p_worker text, p_instance uuid, p_lease interval, p_max integer, p_tenant text, p_labels text[], p_formats integer[], p_version text, p_known uuid[]
) returns setof tasks language plpgsql security definer set search_path from current set enable_seqscan = off as $$
  declare
    v_task tasks;
    v_epoch bigint;
    v_taken integer := 0;
    v_lane integer;
    v_whole integer;
    v_tenants text[];
    v_keys text[];
    v_rooms integer[];
    v_names text[];
    v_locked text[];
    v_full text[];
  begin
    perform 1 from workers where name = p_worker and instance = p_instance and state = 'ready';
    if not found then return; end if;
    if p_known is not null then
      for v_task in select * from tasks where state = 'running' and holder = p_worker and instance = p_instance and not id = any (p_known) loop
        update sessions set lease_until = now() + p_lease where tenant = v_task.tenant and id = v_task.session and epoch = v_task.epoch;
        continue when not found;
        v_taken := v_taken + 1;
        return next v_task;
      end loop;
    end if;
    select coalesce(array_agg(name), '{}') into v_locked from (
      select l.tenant || ' ' || l.key as name from limits l
      where l.max_running is not null and (p_tenant is null or l.tenant = p_tenant) and is_waiting(l.tenant, l.key)
      order by l.tenant, l.key for no key update) locked;
    select array_agg(tenant), array_agg(key), array_agg(room), array_agg(tenant || ' ' || key) into v_tenants, v_keys, v_rooms, v_names from (
      select l.tenant, l.key, case when l.not_before > now() then 0 else coalesce(l.max_running - case when l.key = ''
          then (select count(*) from tasks r where r.tenant = l.tenant and r.state = 'running')
          else (select count(*) from tasks r where r.tenant = l.tenant and r.limit_key = l.key and r.state = 'running') end::integer, p_max) end as room
      from limits l
      where (p_tenant is null or l.tenant = p_tenant) and is_waiting(l.tenant, l.key)
        and (l.max_running is null or l.tenant || ' ' || l.key = any (v_locked))) lanes;
    select coalesce(array_agg(tenant), '{}') into v_full from unnest(v_tenants, v_keys, v_rooms) as lane (tenant, key, room) where key = '' and room <= 0;
    for v_task in
      select q.* from (
        select c.* from unnest(p_labels) as w (label) cross join lateral (
          select x.* from tasks x
          where p_tenant is null and x.state = 'queued' and not x.waits and x.limit_key = '' and x.label = w.label and x.not_before <= now()
            and x.format = any (p_formats) and (x.prefer is null or x.prefer = p_worker or x.others_from <= now()) and not x.tenant = any (v_full)
          order by x.rank limit p_max for no key update of x skip locked) c
        union all
        select c.* from (
          select tenant, key, room from unnest(v_tenants, v_keys, v_rooms) as lane (tenant, key, room) where key <> '' and room > 0
          union all select p_tenant, '', p_max where p_tenant is not null) lane
        cross join unnest(p_labels) as w (label) cross join lateral (
          select x.* from tasks x
          where x.state = 'queued' and not x.waits and x.tenant = lane.tenant and x.limit_key = lane.key and x.label = w.label and x.not_before <= now()
            and x.format = any (p_formats) and (x.prefer is null or x.prefer = p_worker or x.others_from <= now()) and not x.tenant = any (v_full)
          order by x.rank limit least(lane.room, p_max) for no key update of x skip locked) c
      ) q order by q.rank
    loop
      exit when v_taken >= p_max;
      v_lane := case when v_task.limit_key = '' then null else array_position(v_names, v_task.tenant || ' ' || v_task.limit_key) end;
      v_whole := array_position(v_names, v_task.tenant || ' ');
      continue when v_rooms[v_lane] <= 0 or v_rooms[v_whole] <= 0
        or v_whole is null and exists (select 1 from limits l where l.tenant = v_task.tenant and l.key = '' and l.max_running is not null);
      update sessions s set holder = p_worker, epoch = next_epoch(s.epoch), lease_until = now() + p_lease
        from (select x.tenant, x.id from sessions x
          where x.tenant = v_task.tenant and x.id = v_task.session and x.holder is null for no key update skip locked) free
        where s.tenant = free.tenant and s.id = free.id returning s.epoch into v_epoch;
      continue when not found;
      update tasks set state = 'running', attempt = attempt + 1, takes = takes + 1, holder = p_worker, instance = p_instance, epoch = v_epoch, version = p_version,
          started_at = coalesce(started_at, clock_timestamp())
        where tenant = v_task.tenant and id = v_task.id returning * into v_task;
      if v_lane is not null then v_rooms[v_lane] := v_rooms[v_lane] - 1; end if;
      if v_whole is not null then v_rooms[v_whole] := v_rooms[v_whole] - 1; end if;
      v_taken := v_taken + 1;
      return next v_task;
    end loop;
  end $$;
create function reap_tasks(p_result text, p_heard double precision, p_lease interval) returns table (tenant text, id uuid, session text, label text, state text, unknown integer)
  language plpgsql security definer set search_path from current set enable_seqscan = off as $$
  #variable_conflict use_column
  declare
    v_session sessions;
    v_task uuid;
  begin
    if p_heard < extract(epoch from now() - p_lease / 2) * 1000 then return; end if;
    update workers set state = 'gone' where state <> 'gone' and seen < now() - interval '5 minutes';
    delete from workers where state = 'gone' and seen < now() - interval '1 day';
    for v_session in
      select * from sessions where holder is not null and lease_until < now() order by lease_until limit 200 for no key update skip locked
    loop
      select t.id into v_task from tasks t
        where t.tenant = v_session.tenant and t.session = v_session.id and t.state = 'running' and t.epoch = v_session.epoch;
      if found then
        perform release_task(v_session.tenant, v_task, true, interval '0', p_result);
        return query select t.tenant, t.id, t.session, t.label, t.state, t.unknown from tasks t where t.tenant = v_session.tenant and t.id = v_task;
      else
        update sessions s set holder = null, lease_until = null, epoch = next_epoch(s.epoch)
          where s.tenant = v_session.tenant and s.id = v_session.id;
      end if;
    end loop;
  end $$;
`;
