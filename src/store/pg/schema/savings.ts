import { KEY, TENANT } from "./store.ts";

/** What filters saved, and which call a kept text came of. */
export const SAVINGS_TABLES = `
create table savings (
  ${TENANT}, day ${KEY} not null, kind ${KEY} not null, rule ${KEY} not null, confidence ${KEY} not null, uses bigint not null,
  raw_chars bigint not null, chars bigint not null,
  primary key (tenant, day, kind, rule, confidence));
alter table tool_overflow add column call_id ${KEY};
create index tool_overflow_by_call on tool_overflow (tenant, call_id) where call_id is not null;
`;
