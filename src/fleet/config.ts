import * as z from "zod";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";

const quotaOfPeople = makeOnce(() =>
  z
    .strictObject({
      calls_per_day: setting(
        z.int().min(0).optional(),
        "Most tool calls of one person in a day (UTC), on all machines together. Unset means no limit.",
        "smaller",
      ),
      people: setting(
        z.record(z.string(), z.int().min(0)).default({}),
        "The same for people who have a number of their own: `ann = 5000`.",
      ),
    })
    .prefault({}),
);

const groups = (role: string) => setting(z.array(z.string()).default([]), `Groups of the issuer whose people are ${role}.`);

const oidcConfig = makeOnce(() =>
  z
    .strictObject({
      issuer: setting(
        z.string().default(""),
        "Whose access tokens `zeph serve` takes besides its own: the address of the issuer. Empty means nobody's.",
      ),
      audience: setting(z.string().default(""), "The audience that such a token has to name."),
      jwks: setting(z.string().default(""), "Where the issuer's keys are. Empty means that its discovery document says it."),
      tenant_claim: setting(z.string().default("tenant"), "The claim that names the tenant."),
      person_claim: setting(z.string().default("sub"), "The claim that names the person."),
      groups_claim: setting(z.string().default("groups"), "The claim that lists groups."),
      tenant: setting(z.string().default(""), "The tenant of tokens that name none. Empty means that they are refused."),
      roles: z
        .strictObject({
          user: groups("`user`: they give tasks"),
          approver: groups("`approver`: they answer questions of others"),
          operator: groups("`operator`: they govern the fleet"),
          auditor: groups("`auditor`: they read the audit log"),
        })
        .prefault({}),
    })
    .prefault({}),
);

const setup = makeOnce(() =>
  z.strictObject({ repo: z.string().min(1), command: z.string().min(1), files: z.array(z.string().min(1)).default([]) }),
);
const tenant = makeOnce(() =>
  z.strictObject({ user: z.string().min(1).optional(), config: z.string().min(1).optional(), env: z.array(z.string().min(1)).optional() }),
);

export const fleetConfig = makeOnce(() =>
  z
    .strictObject({
      bus: setting(
        z.string().default(""),
        "Where hints between machines go: `nats://host:4222`, several divided by commas. Empty means PostgreSQL's own notifications.",
      ),
      tenant: setting(z.string().default("main"), "Whose sessions, tasks and memories this program sees in a shared store."),
      lease_ms: setting(
        z.int().min(1000).max(3_600_000).default(15_000),
        "How long a worker keeps a session without a sign of life. Longer: a crash is noticed later. Shorter: more false alarms.",
      ),
      slots: setting(z.int().min(1).max(1000).default(8), "How many sessions a worker works on at a time."),
      poll_ms: setting(z.int().min(50).max(60_000).default(1000), "How often a worker looks for tasks when no hint comes."),
      approval_secs: setting(
        z.int().min(1).max(604_800).default(3600),
        "How long a question waits for the answer of another person. After that it is a no.",
        "smaller",
      ),
      trusted_repos: setting(
        z.array(z.string()).default([]),
        "Repositories whose own `.zeph/config.toml` may do more than tighten, by address; a `*` at the end stands for anything. Only for the policy of a fleet.",
      ),
      quota: quotaOfPeople(),
      oidc: oidcConfig(),
      workspaces: setting(
        z.string().default(""),
        "Where a worker keeps the folders of sessions; a worker alone has it. Empty means a folder below `~/.local/share/zeph-workspaces`.",
      ),
      keep_workspaces: setting(
        z.int().min(0).max(100_000).default(100),
        "How many folders of sessions that nobody works on a worker keeps for each tenant. The oldest go first; a session that comes back has its last snapshot.",
      ),
      repositories: setting(
        z.array(z.string().min(1)).default(["https://", "ssh://"]),
        "What the address of a repository may begin with. Workers fetch nothing else.",
      ),
      bundles: setting(
        z.string().default(""),
        "A folder that all workers see, for snapshots of folders that no repository takes. Empty means that these stay on their worker.",
      ),
      setup: setting(
        z.array(setup()).default([]),
        "Commands that make in a new folder what git ignores, such as dependencies. `repo` is what the repository's address begins with, `command` is run behind the walls, and what it made is used again as long as `files` are the same.",
      ),
      tenants: setting(
        z.record(z.string(), tenant()).default({}),
        "What the process of a tenant is started with on this worker: `user` is a system user of its own (the worker has to be root), `config` a configuration file in place of the worker's, `env` the names of variables that it gets besides the usual ones (without it, all).",
      ),
      max_queued: setting(z.int().min(1).max(10_000_000).default(20_000), "How many tasks of one tenant may wait. More are refused."),
      checkpoint_key: setting(
        z.string().default(""),
        "A file with the private key (Ed25519, PEM) that signs where all copies of audit logs end, once a minute. `zeph fleet audit keygen` makes one. Empty: this process signs nothing.",
      ),
      checkpoint_log: setting(
        z.string().default(""),
        "A file that gets a line for each signature: its number, its time and its root. Keep it where nobody who can change the database can change it.",
      ),
    })
    .prefault({}),
);
export type FleetConfig = z.output<ReturnType<typeof fleetConfig>>;
