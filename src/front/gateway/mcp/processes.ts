import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitAtMost, waitWithin } from "../../../text/wait-within.ts";
import { DoorRefusal } from "../door.ts";
import type { GatewayMcp } from "../gateway.ts";
import { markGatewayChild } from "./child.ts";
import { handOn, type McpLink } from "./link.ts";

export interface McpProcessesOptions {
  /** Throws where no process can be started for the tenant. */
  launch(tenant: string): McpLaunch;
  readonly idleMs?: number;
  readonly warn: (words: string) => void;
}

/** How the process of a tenant is started. */
export interface McpLaunch {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The system's user that it acts as; null: as this process does. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

interface TenantMcp {
  readonly child: ChildProcess;
  readonly link: McpLink;
  /** It listens. False: it has ended before it did. */
  readonly ready: Promise<boolean>;
  readonly over: Promise<void>;
  isOver: boolean;
  /** Sessions that it has. */
  sessions: number;
  requests: number;
  lastUsed: number;
}

const IDLE_MS = 60_000;
const START_MS = 30_000;
const END_MS = 5000;
const MOST_TENANTS = 100;
/** The address of a socket is this long at most. */
const LONGEST_SOCKET = 100;

/** MCP for people of every tenant: a process for each, so that what one tenant's process holds no other ever sees. */
export function openMcpProcesses({ launch, idleMs = IDLE_MS, warn }: McpProcessesOptions): GatewayMcp {
  let made: string | null = null;
  const folder = (): string => {
    const usual = tmpdir();
    made ??= mkdtempSync(join(usual.length > LONGEST_SOCKET - 40 ? "/tmp" : usual, "zeph-gateway-"));
    mkdirSync(made, { recursive: true });
    // Others may pass, to a folder whose name they were told.
    chmodSync(made, 0o711);
    return made;
  };
  const running = new Map<string, TenantMcp>();
  let isOpen = true;

  const start = (tenant: string): TenantMcp => {
    const name = randomBytes(6).toString("hex");
    const { command, env, user } = launch(tenant);
    const place = join(folder(), name);
    mkdirSync(place, { mode: 0o700 });
    if (user) chownSync(place, user.uid, user.gid);
    const [program = "", ...args] = command;
    const child = spawn(program, args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      // A Ctrl-C at the terminal is for the gateway, which tells its children.
      detached: true,
      env: { ...env, ...markGatewayChild() },
      ...user,
    });
    const link = { socket: join(place, "s"), secret: randomBytes(24).toString("base64url") };
    const one: TenantMcp = {
      child,
      link,
      ready: Promise.resolve(false),
      over: Promise.resolve(),
      isOver: false,
      sessions: 0,
      requests: 0,
      lastUsed: Date.now(),
    };
    const over = new Promise<void>((resolve) => {
      const ended = (why: string | null) => {
        one.isOver = true;
        if (why !== null && isOpen) warn(`The process for MCP of tenant ${tenant} ended: ${why}. Its sessions are over.`);
        if (running.get(tenant) === one) running.delete(tenant);
        rmSync(place, { recursive: true, force: true });
        resolve();
      };
      child.on("error", (error) => ended(error.message));
      child.on("exit", (code, signal) => ended(code === 0 ? null : (signal ?? `code ${code}`)));
    });
    const ready = new Promise<boolean>((resolve) => {
      child.on("message", (message) => {
        const { sessions } = message as { readonly sessions?: unknown };
        if (typeof sessions !== "number") return;
        one.sessions = sessions;
        resolve(true);
      });
      void over.then(() => resolve(false));
    });
    child.send(link, () => {});
    return Object.assign(one, { over, ready });
  };
  const find = (tenant: string): TenantMcp => {
    const known = running.get(tenant);
    if (known) return known;
    if (running.size >= MOST_TENANTS) throw away("There are too many tenants on this gateway. Try again later.");
    const one = start(tenant);
    running.set(tenant, one);
    return one;
  };
  const end = async ({ child, over }: TenantMcp): Promise<void> => {
    if (child.connected) child.disconnect();
    await waitAtMost(over, END_MS);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await over;
  };
  const timer = setInterval(
    () => {
      for (const [tenant, one] of running) {
        if (one.sessions > 0 || one.requests > 0) one.lastUsed = Date.now();
        if (Date.now() - one.lastUsed < idleMs) continue;
        running.delete(tenant);
        void end(one);
      }
    },
    Math.min(idleMs, 5000),
  );
  timer.unref();

  return {
    async answer(request, response, _url, { tenant, person }) {
      const one = find(tenant);
      one.requests++;
      try {
        if (!(await waitWithin(one.ready, START_MS, false))) throw away("MCP could not be started for your tenant. Try again.");
        await handOn(one.link, person, request, response);
      } catch (cause) {
        throw cause instanceof DoorRefusal ? cause : away("The process that had your session has ended. Begin a new one.", cause);
      } finally {
        one.requests--;
        one.lastUsed = Date.now();
      }
    },
    async close() {
      isOpen = false;
      clearInterval(timer);
      await Promise.all([...running.values()].map(end));
      if (made) rmSync(made, { recursive: true, force: true });
    },
  };
}

const away = (words: string, cause?: unknown): DoorRefusal => new DoorRefusal(503, words, { retryAfterS: 1, cause });
