/** How sequences of calls ended. `last` is a hash of the last call's words, so that one that ended well finds the errors it takes back. */
export const TRAJECTORIES_STEP = `
  create table trajectories (
    n integer primary key,
    id text not null unique,
    workspace text not null,
    call_id text not null unique,
    steps text not null,
    last text not null,
    ended text not null check (ended in ('ok', 'error', 'violation', 'unacceptable')),
    created_at integer not null
  );
  create index trajectories_by_ending on trajectories (workspace, ended, n);
  create index trajectories_by_age on trajectories (created_at);
  create index trajectories_errors on trajectories (workspace, last) where ended = 'error';`;
