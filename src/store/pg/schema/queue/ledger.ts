/**
 * For workers. Each names the epoch it was given with the session; where that is not the last one, nothing changes. Asking again is safe: the answer is the same.
 *
 * next_epoch: rises with every change of hands, and with every promotion of a standby. A number that was given out by a server whose last commits were lost never comes again.
 * settle_calls: the caller holds the task's row, so that no intent comes after it.
 * release_task: what becomes of a task whose worker lets go of it, or is gone. The caller holds the session's row.
 */
export const LEDGER_FUNCTIONS = `
create function next_epoch(p_epoch bigint) returns bigint language sql volatile as $$
  select greatest(p_epoch + 1, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint << 32)
  $$;
create function call_intent(p_tenant text, p_task uuid, p_epoch bigint, p_call text, p_effect text) returns text
  language plpgsql security definer set search_path from current set enable_seqscan = off as $$
  declare
    v_cancel text;
  begin
    select cancel into v_cancel from tasks where tenant = p_tenant and id = p_task and epoch = p_epoch and state = 'running' for share;
    if not found then return 'lost'; end if;
    if v_cancel is not null then return 'cancelled'; end if;
    insert into calls (tenant, task, call, effect, epoch, state) values (p_tenant, p_task, p_call, p_effect, p_epoch, 'intent')
      on conflict (tenant, task, call) do update set epoch = excluded.epoch where calls.epoch = excluded.epoch and calls.state = 'intent';
    return case when found then 'ours' else 'known' end;
  end $$;
create function call_done(p_tenant text, p_task uuid, p_epoch bigint, p_call text, p_outcome text) returns boolean
  language plpgsql security definer set search_path from current set enable_seqscan = off as $$
  begin
    perform 1 from tasks where tenant = p_tenant and id = p_task and epoch = p_epoch and state = 'running' for share;
    if not found then return false; end if;
    update calls set state = 'done', outcome = p_outcome
      where tenant = p_tenant and task = p_task and call = p_call and epoch = p_epoch and state in ('intent', 'done');
    return found;
  end $$;
create function settle_calls(p_tenant text, p_task uuid) returns integer language plpgsql set search_path from current set enable_seqscan = off as $$
  declare
    v_count integer;
  begin
    delete from calls where tenant = p_tenant and task = p_task and state = 'intent' and effect = 'reads';
    update calls set state = 'unknown' where tenant = p_tenant and task = p_task and state = 'intent';
    get diagnostics v_count = row_count;
    return v_count;
  end $$;
create function finish_task(p_tenant text, p_task uuid, p_epoch bigint, p_state text, p_result text, p_affinity text) returns boolean
  language plpgsql security definer set search_path from current set enable_seqscan = off as $$
  declare
    v_session text;
    v_state text;
    v_unknown integer;
  begin
    select session into v_session from tasks where tenant = p_tenant and id = p_task;
    perform 1 from sessions where tenant = p_tenant and id = v_session for no key update;
    select state into v_state from tasks where tenant = p_tenant and id = p_task and epoch = p_epoch for no key update;
    if v_state is distinct from 'running' then return v_state is not distinct from p_state; end if;
    perform settle_calls(p_tenant, p_task);
    select count(*) into v_unknown from calls where tenant = p_tenant and task = p_task and state = 'unknown';
    update tasks set state = p_state, result = p_result, unknown = v_unknown, ended_at = now(), holder = null, instance = null
      where tenant = p_tenant and id = p_task;
    update sessions set holder = null, lease_until = null, affinity = p_affinity where tenant = p_tenant and id = v_session and epoch = p_epoch;
    perform promote_sessions(p_tenant, array[v_session]);
    return true;
  end $$;
create function release_task(p_tenant text, p_task uuid, p_counts boolean, p_delay interval, p_result text) returns text
  language plpgsql set search_path from current set enable_seqscan = off as $$
  declare
    v_task tasks;
    v_new integer;
    v_unknown integer;
    v_state text;
  begin
    select * into v_task from tasks where tenant = p_tenant and id = p_task for no key update;
    v_new := settle_calls(p_tenant, p_task);
    select count(*) into v_unknown from calls where tenant = p_tenant and task = p_task and state = 'unknown';
    v_state := case
      when v_task.cancel is not null then 'cancelled'
      when v_task.on_unknown = 'stop' and v_new > 0 then 'unknown'
      when p_counts and v_task.attempt >= v_task.max_attempts then 'failed'
      else 'queued' end;
    update tasks set state = v_state, unknown = v_unknown, holder = null, instance = null, prefer = null, others_from = null,
        attempt = attempt - case when p_counts or v_state <> 'queued' then 0 else 1 end, not_before = now() + p_delay,
        ended_at = case when v_state <> 'queued' then now() end, result = case when v_state <> 'queued' then p_result end
      where tenant = p_tenant and id = p_task;
    update sessions set holder = null, lease_until = null, epoch = next_epoch(epoch) where tenant = p_tenant and id = v_task.session;
    if v_state <> 'queued' then perform promote_sessions(p_tenant, array[v_task.session]); end if;
    return v_state;
  end $$;
create function give_back_task(p_tenant text, p_task uuid, p_epoch bigint, p_counts boolean, p_delay interval, p_result text) returns text
  language plpgsql security definer set search_path from current set enable_seqscan = off as $$
  declare
    v_session text;
  begin
    select session into v_session from tasks where tenant = p_tenant and id = p_task;
    perform 1 from sessions where tenant = p_tenant and id = v_session for no key update;
    perform 1 from tasks where tenant = p_tenant and id = p_task and epoch = p_epoch and state = 'running' for no key update;
    if not found then return 'lost'; end if;
    return release_task(p_tenant, p_task, p_counts, p_delay, p_result);
  end $$;
create function call_fates(p_session text, p_calls text[]) returns table (call text, state text)
  language sql stable set search_path from current set enable_seqscan = off as $$
  select c.call, c.state from calls c join tasks t on t.id = c.task and t.tenant = c.tenant
  where c.call = any (p_calls) and c.tenant = current_setting('zeph.tenant') and t.session = p_session
  $$;
create function read_journal(p_tenant text, p_task uuid) returns table (call text, effect text, state text, outcome text)
  language sql stable security definer set search_path from current set enable_seqscan = off as $$
  select call, effect, state, outcome from calls where tenant = p_tenant and task = p_task
  $$;
`;
