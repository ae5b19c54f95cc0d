/**
 * For those who ask. They act as the tenant of the connection, so row security holds for them.
 *
 * queue_head: where a tenant that comes late begins, so that it is neither behind the queue nor ahead of it. It tells a number about all tenants and nothing else.
 * promote_sessions: after the first task of a session ended, the next one may be taken. Callers hold the sessions' rows.
 * submit_tasks: the tenant's row makes one submission follow the other, so a key is put in once. The head is asked for once for each label, not for each task (`materialized`). Rows of sessions are locked in their order, as everywhere.
 * retry_tasks: what failed or was cancelled waits again, behind what waits now. Its calls stay in the journal, so nothing of it is made twice. What is unknown is never tried again: a person decides.
 */
export const ASKING_FUNCTIONS = `
create function queue_head(p_label text) returns double precision
  language sql stable security definer set search_path from current set enable_seqscan = off as $$
  select coalesce(
    least(
      (select rank from tasks where state = 'queued' and not waits and limit_key = '' and label = p_label and not_before <= now()
        order by rank limit 1),
      (select min(lane.head) from limits l cross join lateral (
        select t.rank as head from tasks t
        where t.state = 'queued' and not t.waits and t.tenant = l.tenant and t.limit_key = l.key and t.label = p_label and t.not_before <= now()
        order by t.rank limit 1
      ) lane where l.key <> '')),
    (select max(vt) from tenants), 0)
  $$;
create function promote_sessions(p_tenant text, p_sessions text[]) returns void
  language plpgsql set search_path from current set enable_seqscan = off as $$
  declare
    v_session text;
    v_n bigint;
    v_affinity text;
  begin
    foreach v_session in array coalesce(p_sessions, '{}') loop
      select n into v_n from tasks where session = v_session and tenant = p_tenant and state in ('queued', 'running') order by session, tenant, n limit 1;
      continue when not found;
      select affinity into v_affinity from sessions where tenant = p_tenant and id = v_session;
      update tasks
        set waits = false, prefer = v_affinity, others_from = case when v_affinity is not null then now() + interval '2 seconds' end
        where n = v_n and tenant = p_tenant and state = 'queued' and waits;
    end loop;
  end $$;
create function submit_tasks(
  p_max_queued integer, p_keys text[], p_sessions text[], p_batches text[], p_limits text[], p_labels text[], p_formats integer[],
  p_payloads text[], p_max_attempts integer[], p_on_unknown text[]
) returns table (id uuid, key text, is_new boolean)
  language plpgsql set search_path from current set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
  #variable_conflict use_column
  declare
    v_tenant constant text := current_setting('zeph.tenant');
    v_weight double precision;
    v_vt double precision;
    v_top double precision;
    v_first bigint;
    v_most integer;
    v_new integer[];
    v_known text[];
    v_sessions text[];
  begin
    insert into tenants (tenant) values (v_tenant) on conflict do nothing;
    select weight, vt into v_weight, v_vt from tenants where tenant = v_tenant for no key update;
    v_known := array(select t.key from tasks t where t.key = any (p_keys) and t.tenant = v_tenant);
    select array_agg(place order by place) into v_new from (
      select min(place)::integer as place from unnest(p_keys) with ordinality as g (key, place) where g.key <> all (v_known) group by g.key) f;
    if v_new is not null then
      v_sessions := array(select distinct p_sessions[place] collate "C" from unnest(v_new) as place order by 1);
      insert into sessions (tenant, id) select v_tenant, s from unnest(v_sessions) as s on conflict do nothing;
      perform 1 from sessions where tenant = v_tenant and id = any (v_sessions) order by id for no key update;
      insert into batches (tenant, name)
        select distinct v_tenant, p_batches[place] from unnest(v_new) as place where p_batches[place] is not null on conflict do nothing;
      insert into limits (tenant, key)
        select distinct v_tenant, p_limits[place] from unnest(v_new) as place where p_limits[place] <> '' on conflict do nothing;
      with fresh as (
        select place, p_sessions[place] as session, p_labels[place] as label,
          row_number() over (order by place) as nth, row_number() over (partition by p_sessions[place] order by place) as in_session
        from unnest(v_new) as place
      ), bases as materialized (
        select label, greatest(v_vt, queue_head(label)) as base from (select distinct label from fresh) l
      ), put as (
        insert into tasks (tenant, key, session, batch, limit_key, label, format, payload, max_attempts, on_unknown, rank, waits, prefer, others_from)
        select v_tenant, p_keys[place], f.session, p_batches[place], p_limits[place], f.label, p_formats[place], p_payloads[place],
          p_max_attempts[place], p_on_unknown[place], b.base + f.nth / v_weight,
          f.in_session > 1 or exists (
            select 1 from tasks o where o.tenant = v_tenant and o.session = f.session and o.state in ('queued', 'running')),
          s.affinity, case when s.affinity is not null then now() + interval '2 seconds' end
        from fresh f join bases b on b.label = f.label join sessions s on s.tenant = v_tenant and s.id = f.session
        order by place returning n, rank)
      select min(n), max(rank) into v_first, v_top from put;
      update tenants set vt = greatest(vt, v_top), queued_most = queued_most + cardinality(v_new) where tenant = v_tenant
        returning queued_most into v_most;
      if v_most > p_max_queued then
        select count(*) into v_most from tasks where tenant = v_tenant and state = 'queued';
        if v_most > p_max_queued then
          raise exception 'more than % tasks of % wait', p_max_queued, v_tenant using errcode = 'ZQ001';
        end if;
        update tenants set queued_most = v_most where tenant = v_tenant;
      end if;
    end if;
    return query select t.id, t.key, v_first is not null and t.n >= v_first from tasks t where t.tenant = v_tenant and t.key = any (p_keys);
  end $$;
create function retry_tasks(p_max_queued integer, p_keys text[]) returns table (id uuid, label text)
  language plpgsql set search_path from current set enable_seqscan = off as $$
  #variable_conflict use_column
  declare
    v_tenant constant text := current_setting('zeph.tenant');
    v_task tasks;
    v_weight double precision;
    v_rank double precision;
    v_count integer := 0;
  begin
    select weight, vt into v_weight, v_rank from tenants where tenant = v_tenant for no key update;
    perform 1 from sessions s where s.tenant = v_tenant and s.id in (
        select t.session from tasks t where t.key = any (p_keys) and t.tenant = v_tenant and t.state in ('failed', 'cancelled'))
      order by s.id for no key update;
    for v_task in
      select * from tasks t where t.key = any (p_keys) and t.tenant = v_tenant and t.state in ('failed', 'cancelled') order by t.n for no key update
    loop
      v_count := v_count + 1;
      v_rank := greatest(v_rank, queue_head(v_task.label)) + 1 / v_weight;
      update tasks t set state = 'queued', rank = v_rank, attempt = 0, cancel = null, result = null, started_at = null, ended_at = null, not_before = now(),
          prefer = null, others_from = null, waits = exists (
            select 1 from tasks o where o.tenant = v_tenant and o.session = v_task.session and o.state in ('queued', 'running'))
        where t.tenant = v_tenant and t.id = v_task.id;
      id := v_task.id;
      label := v_task.label;
      return next;
    end loop;
    if v_count > 0 then
      update tenants set vt = greatest(vt, v_rank), queued_most = queued_most + v_count where tenant = v_tenant;
      select count(*) into v_count from tasks where tenant = v_tenant and state = 'queued';
      if v_count > p_max_queued then
        raise exception 'more than % tasks of % wait', p_max_queued, v_tenant using errcode = 'ZQ001';
      end if;
    end if;
  end $$;
create function cancel_tasks(p_id uuid, p_batch text, p_why text) returns table (id uuid, session text, state text, holder text)
  language plpgsql set search_path from current set enable_seqscan = off as $$
  #variable_conflict use_column
  declare
    v_tenant constant text := current_setting('zeph.tenant');
    v_sessions text[];
  begin
    select array_agg(s.id) into v_sessions from (
      select s.id from sessions s where s.tenant = v_tenant and s.id in (
        select t.session from tasks t where t.tenant = v_tenant and (t.id = p_id or t.batch = p_batch) and t.state in ('queued', 'running'))
      order by s.id for no key update) s;
    return query update tasks t set cancel = coalesce(t.cancel, p_why),
        state = case when t.state = 'queued' then 'cancelled' else t.state end,
        ended_at = case when t.state = 'queued' then now() end
      where t.tenant = v_tenant and (t.id = p_id or t.batch = p_batch) and t.state in ('queued', 'running')
      returning t.id, t.session, t.state, t.holder;
    perform promote_sessions(v_tenant, v_sessions);
  end $$;
`;
