/**
 * Workers, and who may call what.
 *
 * beat_news: what every beat tells a worker about the tenants it works for. Other areas replace it.
 * beat_worker: one statement for all sessions of a worker. It answers with the places of those that are still held, why one is to end, and the server's time.
 */
export const FLEET_FUNCTIONS = `
create function beat_news(p_tenants text[]) returns jsonb language sql stable set search_path from current set enable_seqscan = off as $$
  select '{}'::jsonb
  $$;
create function register_worker(p_name text, p_instance uuid, p_tenant text, p_version text, p_slots integer, p_labels text[]) returns void
  language sql security definer set search_path from current set enable_seqscan = off as $$
  insert into workers (name, instance, tenant, version, state, slots, labels)
  values (p_name, p_instance, coalesce(p_tenant, '*'), p_version, 'ready', p_slots, p_labels)
  on conflict (name) do update set instance = excluded.instance, tenant = excluded.tenant, version = excluded.version, state = 'ready',
    slots = excluded.slots, labels = excluded.labels, running = 0, seen = now()
  $$;
create function beat_worker(
  p_name text, p_instance uuid, p_lease interval, p_tenants text[], p_sessions text[], p_epochs bigint[]
) returns table (state text, kept integer[], cancelled integer[], news jsonb, at double precision)
  language plpgsql security definer set search_path from current set enable_seqscan = off as $$
  #variable_conflict use_column
  declare
    v_state text;
    v_kept integer[];
    v_cancelled integer[];
  begin
    update workers w set seen = now(), running = cardinality(p_sessions), state = case when w.state = 'gone' then 'ready' else w.state end
      where w.name = p_name and w.instance = p_instance returning w.state into v_state;
    if not found then
      v_state := case when exists (select 1 from workers w where w.name = p_name) then 'replaced' else 'missing' end;
    end if;
    with given as (
      select * from unnest(p_tenants, p_sessions, p_epochs) with ordinality as g (tenant, id, epoch, place)
    ), locked as (
      select s.tenant, s.id, g.place from given g join sessions s on s.tenant = g.tenant and s.id = g.id and s.epoch = g.epoch
      order by s.tenant, s.id for no key update of s
    ), renewed as (
      update sessions s set lease_until = now() + p_lease from locked l where s.tenant = l.tenant and s.id = l.id
      returning s.tenant, s.id, s.epoch, l.place)
    select array_agg(r.place::integer), array_agg(r.place::integer) filter (where t.cancel is not null) into v_kept, v_cancelled
      from renewed r left join tasks t on t.tenant = r.tenant and t.session = r.id and t.epoch = r.epoch and t.state = 'running';
    return query select v_state, coalesce(v_kept, '{}'), coalesce(v_cancelled, '{}'), beat_news(p_tenants), (extract(epoch from now()) * 1000)::double precision;
  end $$;
create function set_worker_state(p_name text, p_instance uuid, p_state text) returns void
  language sql security definer set search_path from current set enable_seqscan = off as $$
  update workers set state = p_state, running = case when p_state = 'gone' then 0 else running end where name = p_name and instance = p_instance
  $$;
create function drain_worker(p_name text) returns boolean language plpgsql security definer set search_path from current set enable_seqscan = off as $$
  begin
    update workers set state = 'draining' where name = p_name and state <> 'gone';
    return found;
  end $$;
create function list_workers() returns table (
  name text, tenant text, version text, state text, slots integer, running integer, labels text[], seen_ms double precision
) language sql stable security definer set search_path from current set enable_seqscan = off as $$
  select name, tenant, version, state, slots, running, labels, (extract(epoch from now() - seen) * 1000)::double precision from workers order by name
  $$;
create function queue_depths() returns table (tenant text, queued bigint, running bigint, oldest_ms double precision)
  language sql stable security definer set search_path from current set enable_seqscan = off as $$
  select tenant, count(*) filter (where state = 'queued'), count(*) filter (where state = 'running'),
    (extract(epoch from now() - min(created_at) filter (where state = 'queued')) * 1000)::double precision
  from tasks where state in ('queued', 'running') group by tenant order by tenant
  $$;
create function waiting_tenants(p_labels text[], p_formats integer[]) returns setof text
  language sql stable security definer set search_path from current set enable_seqscan = off as $$
  select distinct tenant from tasks where state = 'queued' and not waits and label = any (p_labels) and format = any (p_formats) and not_before <= now()
  $$;
create function postpone_limit(p_tenant text, p_key text, p_delay interval) returns void
  language sql security definer set search_path from current set enable_seqscan = off as $$
  insert into limits (tenant, key, not_before) values (p_tenant, p_key, now() + p_delay)
  on conflict (tenant, key) do update set not_before = greatest(limits.not_before, excluded.not_before)
  $$;
revoke execute on function queue_head, promote_sessions, submit_tasks, retry_tasks, cancel_tasks, next_epoch, call_intent, call_done, settle_calls, finish_task,
  release_task, give_back_task, read_journal, call_fates, is_waiting, take_tasks, reap_tasks, beat_news, register_worker, beat_worker, set_worker_state, drain_worker,
  list_workers, queue_depths, waiting_tenants, postpone_limit from public;
grant execute on function submit_tasks, cancel_tasks, promote_sessions, queue_head, list_workers, queue_depths to zeph_worker, zeph_gateway;
grant execute on function drain_worker, retry_tasks to zeph_gateway;
grant execute on function register_worker, set_worker_state, beat_worker, take_tasks, reap_tasks, call_intent, call_done, finish_task, give_back_task,
  read_journal, call_fates, waiting_tenants, postpone_limit to zeph_worker;
`;
