-- Users for gateways and workers. `zeph store init` makes the roles; nobody logs in as one of them. Run it again after a password changed:
--   psql "$ADMIN" -v worker_password=… -v gateway_password=… -f logins.sql
\set ON_ERROR_STOP on
select 'create role worker login in role zeph_worker' where not exists (select 1 from pg_roles where rolname = 'worker') \gexec
select 'create role gateway login in role zeph_gateway' where not exists (select 1 from pg_roles where rolname = 'gateway') \gexec
alter role worker password :'worker_password';
alter role gateway password :'gateway_password';
