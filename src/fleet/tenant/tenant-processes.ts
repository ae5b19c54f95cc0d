import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../../files/programs.ts";
import { makeFolder } from "../../store/folder.ts";
import type { FleetConfig } from "../config.ts";
import { slugOf } from "../workspace/slug.ts";
import { findSystemUser, type SystemUser } from "./system-user.ts";

/** The processes of a worker, one for each tenant that has something to do. What one tenant's process holds no other ever sees. */
export interface TenantProcesses {
  /** These tenants have tasks that wait. A process is started for those that have none; one that has had nothing to do for a while ends. */
  look(waiting: readonly string[]): void;
  /** They give back what they have, and end. */
  close(): Promise<void>;
}

export interface TenantProcessesOptions {
  /** What a child is started with, besides what is its own. */
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly name: string;
  readonly root: string;
  readonly slots: number;
  readonly tenants: FleetConfig["tenants"];
  readonly idleMs?: number;
  readonly warn: (words: string) => void;
}

interface TenantProcess {
  readonly child: ChildProcess;
  readonly over: Promise<void>;
  /** Tasks it works on. */
  busy: number;
  lastWanted: number;
}

const IDLE_MS = 60_000;
/** A process that ends by itself at once is not started again and again. */
const AGAIN_MS = 5000;
/** A child that does not end is ended. */
const LONGEST_END_MS = 60_000;

export function openTenantProcesses(options: TenantProcessesOptions): TenantProcesses {
  const { slots, idleMs = IDLE_MS, warn } = options;
  const running = new Map<string, TenantProcess>();
  const notBefore = new Map<string, number>();
  /** Each has its share of the slots, and one at least. */
  const share = () => {
    const each = Math.max(1, Math.floor(slots / Math.max(1, running.size)));
    for (const { child } of running.values()) if (child.connected) child.send({ slots: each });
  };
  const start = (tenant: string) => {
    const child = startTenant(options, tenant);
    const over = new Promise<void>((resolve) => {
      const ended = (why: string | null) => {
        if (why !== null) warn(`The process of tenant ${tenant} ended: ${why}.`);
        if (running.get(tenant)?.child === child) running.delete(tenant);
        notBefore.set(tenant, performance.now() + AGAIN_MS);
        share();
        resolve();
      };
      child.on("error", (error) => ended(error.message));
      child.on("exit", (code, signal) => ended(code === 0 ? null : (signal ?? `code ${code}`)));
    });
    const one: TenantProcess = { child, over, busy: 0, lastWanted: performance.now() };
    child.on("message", (message) => {
      const { busy } = message as { readonly busy?: unknown };
      if (typeof busy === "number") one.busy = busy;
      // Its first word says that it listens.
      share();
    });
    running.set(tenant, one);
  };
  return {
    look(waiting) {
      const now = performance.now();
      for (const tenant of waiting) {
        const known = running.get(tenant);
        if (known) known.lastWanted = now;
        else if (now >= (notBefore.get(tenant) ?? 0))
          try {
            start(tenant);
          } catch (error) {
            notBefore.set(tenant, now + LONGEST_END_MS);
            warn(`The process of tenant ${tenant} cannot be started: ${(error as Error).message}`);
          }
      }
      for (const [tenant, one] of running) {
        if (one.busy > 0) one.lastWanted = now;
        if (now - one.lastWanted < idleMs || !one.child.connected) continue;
        // It drains and ends; what waits meanwhile starts another.
        one.child.disconnect();
        running.delete(tenant);
      }
    },
    async close() {
      const all = [...running.values()];
      for (const { child } of all) if (child.connected) child.disconnect();
      const late = setTimeout(() => {
        for (const { child } of all) child.kill("SIGKILL");
      }, LONGEST_END_MS);
      await Promise.all(all.map(({ over }) => over));
      clearTimeout(late);
    },
  };
}

/** A worker's name has 63 characters at most. */
const shortSlug = (tenant: string): string => {
  const slug = slugOf(tenant);
  return slug.length <= 20 ? slug : createHash("sha256").update(tenant).digest("hex").slice(0, 16);
};

/** Besides what a tenant's entry names, a process needs these. */
const USUAL = ["PATH", "TMPDIR", "LANG", "LC_ALL", "TZ", "TERM", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NO_COLOR"];

function startTenant({ command, environment, name, root, tenants }: TenantProcessesOptions, tenant: string): ChildProcess {
  const own = tenants[tenant] ?? {};
  const user = own.user === undefined ? null : findSystemUser(own.user);
  const folder = join(root, slugOf(tenant));
  const state = join(root, ".state", slugOf(tenant));
  for (const path of [folder, state]) {
    makeFolder(path);
    if (user) chownSync(path, user.uid, user.gid);
  }
  // The user may pass through, and sees nothing.
  if (user) for (const path of [root, join(root, ".state")]) chmodSync(path, 0o711);
  const [program = "", ...args] = command;
  const more = ["--tenant", tenant, "--name", `${name.slice(0, 40)}.${shortSlug(tenant)}`, "--workspaces", folder];
  return startProgram(program, [...args, ...more, ...(own.config === undefined ? [] : ["--config", own.config])], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // A Ctrl-C at the terminal is for the worker, which tells its children.
    detached: true,
    env: tenantEnvironment(environment, own.env, tenant, user, state),
    ...(user && { uid: user.uid, gid: user.gid }),
  });
}

/** Usual variables, and those that are the tenant's. Its log and its records lie apart: no file of another tenant is ever opened. */
export function tenantEnvironment(
  given: NodeJS.ProcessEnv,
  names: readonly string[] | undefined,
  tenant: string,
  user: SystemUser | null,
  state = usualState(given, tenant, user),
): NodeJS.ProcessEnv {
  const chosen = names === undefined ? given : Object.fromEntries([...USUAL, ...names, ...OURS].map((key) => [key, given[key]]));
  return { ...chosen, XDG_STATE_HOME: state, HOME: user?.home ?? given.HOME, ...(user && { USER: user.name, LOGNAME: user.name }) };
}

const usualState = (given: NodeJS.ProcessEnv, tenant: string, user: SystemUser | null): string =>
  user ? `${user.home}/.local/state` : `${given.XDG_STATE_HOME ?? `${given.HOME}/.local/state`}/zeph/tenants/${slugOf(tenant)}`;

const OURS = ["ZEPH_STORE", "ZEPH_BUS", "XDG_CONFIG_HOME"];
