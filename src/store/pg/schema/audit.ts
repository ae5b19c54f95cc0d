/**
 * Copies of the audit files of all machines. Nobody but the functions writes here: lines are only ever added, and a head moves only from where it was.
 * A chain is what one process after the other wrote to a file. `began` lines of that file are in another chain, because the file did not go on with what
 * was copied before. A line that says how a call ended settles it, where nobody knew. Checkpoints are shared by all tenants and hold hashes alone; what a checkpoint says of a tenant is in `audit_marks`.
 */
export const AUDIT_TABLES = `
create table audit_heads (
  tenant text collate "C" not null,
  writer text collate "C" not null check (writer ~ '^[A-Za-z0-9._/-]{1,200}$'),
  file text collate "C" not null,
  began bigint not null,
  count bigint not null,
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  size bigint not null,
  signed bigint not null default 0,
  at timestamptz not null default now(),
  primary key (tenant, writer)
);
create index audit_heads_file on audit_heads (tenant, file);
create table audit_lines (
  tenant text collate "C" not null,
  writer text collate "C" not null,
  n bigint not null,
  line text not null,
  raw bytea,
  hash text not null,
  at timestamptz not null default now(),
  primary key (tenant, writer, n)
);
create index audit_lines_at on audit_lines (tenant, at);
create table audit_checkpoints (
  n bigint primary key,
  at text not null,
  previous text not null,
  parts text not null,
  root text not null,
  signature text not null,
  key text not null,
  made_at timestamptz not null default now()
);
create table audit_marks (
  tenant text collate "C" not null,
  checkpoint bigint not null,
  heads text not null,
  primary key (tenant, checkpoint)
);
grant select on audit_checkpoints to zeph_worker, zeph_gateway;
create function audit_ship(p_writer text, p_file text, p_began bigint, p_before bigint, p_prev text, p_lines text, p_hashes text, p_odd int[], p_raw bytea[], p_size bigint, p_ended int[], p_calls text[], p_outcomes text[])
  returns boolean language plpgsql security definer set search_path from current as $$
  declare
    v_tenant text := current_setting('zeph.tenant');
    v_hashes text[] := string_to_array(p_hashes, ' ');
    v_count int := cardinality(v_hashes);
    v_new int;
  begin
    if p_before = p_began then
      insert into audit_heads (tenant, writer, file, began, count, hash, size) values (v_tenant, p_writer, p_file, p_began, p_before, p_prev, 0) on conflict do nothing;
    end if;
    update audit_heads set count = p_before + v_count, hash = v_hashes[v_count], size = p_size, at = now()
      where tenant = v_tenant and writer = p_writer and count = p_before and hash = p_prev;
    if not found then
      return false;
    end if;
    insert into audit_lines (tenant, writer, n, line, raw, hash)
      select v_tenant, p_writer, p_before + l.place, l.line, r.raw, l.hash
      from unnest((string_to_array(p_lines, E'\\n'))[1:v_count], v_hashes) with ordinality l (line, hash, place)
      left join unnest(p_odd, p_raw) r (place, raw) on r.place = l.place
      on conflict (tenant, writer, n) do nothing;
    get diagnostics v_new = row_count;
    if v_new < v_count and exists (select from audit_lines a where a.tenant = v_tenant and a.writer = p_writer and a.n between p_before + 1 and p_before + v_count
        and a.hash <> v_hashes[a.n - p_before]) then
      raise exception 'other lines stand where those of % belong', p_writer using errcode = 'ZA001';
    end if;
    update calls c set state = 'done', outcome = e.outcome || ' (told later by line ' || p_before + e.place || ' of ' || p_writer || ')'
      from unnest(p_ended, p_calls, p_outcomes) e (place, call, outcome) where c.tenant = v_tenant and c.call = e.call and c.state = 'unknown';
    return true;
  end $$;
create function audit_unsigned(p_all boolean) returns table (tenant text, writer text, count bigint, hash text)
  language sql stable security definer set search_path from current as $$
  select h.tenant, h.writer, h.count, h.hash from audit_heads h where p_all or h.count > h.signed order by h.tenant, h.writer $$;
create function audit_checkpoint(p_n bigint, p_at text, p_previous text, p_parts text, p_root text, p_signature text, p_key text, p_tenants text[], p_heads text[])
  returns void language plpgsql security definer set search_path from current as $$
  begin
    if p_n <> (select coalesce(max(c.n), 0) + 1 from audit_checkpoints c) then
      raise exception 'checkpoint % does not stand on the last one', p_n using errcode = 'ZA002';
    end if;
    insert into audit_checkpoints (n, at, previous, parts, root, signature, key) values (p_n, p_at, p_previous, p_parts, p_root, p_signature, p_key);
    insert into audit_marks (tenant, checkpoint, heads) select t, p_n, h from unnest(p_tenants, p_heads) m (t, h);
    update audit_heads a set signed = m.count
      from (select t, split_part(l, ' ', 1)::bigint as count, split_part(l, ' ', 3) as writer
        from unnest(p_tenants, p_heads) m (t, h), unnest(string_to_array(h, E'\\n')) l) m
      where a.tenant = m.t and a.writer = m.writer;
  end $$;
revoke execute on function audit_ship, audit_unsigned, audit_checkpoint from public;
grant execute on function audit_ship, audit_unsigned, audit_checkpoint to zeph_worker, zeph_gateway;
`;

/** Lines are only ever added, and by the functions above. */
export const AUDIT_RIGHTS = "revoke insert, update, delete on audit_heads, audit_lines, audit_marks from zeph_worker, zeph_gateway";
