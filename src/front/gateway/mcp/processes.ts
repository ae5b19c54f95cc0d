import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitWithin } from "../../../text/wait-within.ts";
import { DoorRefusal } from "../door.ts";
import type { GatewayMcp } from "../gateway.ts";
import { handOn } from "./link.ts";
import { type McpLaunch, type McpProcess, startMcpProcess } from "./process.ts";

export interface McpProcessesOptions {
  /** Throws where no process can be started for the tenant. */
  launch(tenant: string): McpLaunch;
  readonly idleMs?: number;
  readonly warn: (words: string) => void;
}

interface TenantMcp extends McpProcess {
  requests: number;
  lastUsed: number;
}

const IDLE_MS = 60_000;
const START_MS = 30_000;
/** One that ends at once is not started again and again. */
const AGAIN_MS = 3000;
const MOST_TENANTS = 100;
/** The address of a socket is this long at most. */
const LONGEST_SOCKET = 100;

/** MCP for people of every tenant: a process for each, so that what one tenant's process holds no other ever sees. */
export function openMcpProcesses({ launch, idleMs = IDLE_MS, warn }: McpProcessesOptions): GatewayMcp {
  const sockets = createSocketFolder();
  const running = new Map<string, TenantMcp>();
  const notBefore = new Map<string, number>();
  let isOpen = true;

  const start = (tenant: string): TenantMcp => {
    const one: TenantMcp = { ...startMcpProcess(launch(tenant), sockets.folder()), requests: 0, lastUsed: Date.now() };
    running.set(tenant, one);
    void one.over.then((why) => {
      if (running.get(tenant) === one) running.delete(tenant);
      if (why === null || !isOpen) return;
      notBefore.set(tenant, Date.now() + AGAIN_MS);
      warn(`The process for MCP of tenant ${tenant} ended: ${why}. Its sessions are over.`);
    });
    return one;
  };
  const find = (tenant: string): TenantMcp => {
    const known = running.get(tenant);
    if (known) return known;
    if (!isOpen) throw away("This gateway is about to end. Try again.");
    if (running.size >= MOST_TENANTS || Date.now() < (notBefore.get(tenant) ?? 0)) throw away(NOT_STARTED);
    notBefore.delete(tenant);
    return start(tenant);
  };
  const sweep = () => {
    for (const [tenant, one] of running) {
      if (one.sessions() > 0 || one.requests > 0) one.lastUsed = Date.now();
      if (Date.now() - one.lastUsed < idleMs) continue;
      running.delete(tenant);
      void one.end();
    }
  };
  const timer = setInterval(sweep, Math.min(idleMs, 5000));
  timer.unref();

  return {
    async answer(request, response, _url, { tenant, person }) {
      const one = find(tenant);
      one.requests++;
      try {
        if (!(await waitWithin(one.ready, START_MS, false))) throw away(NOT_STARTED);
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
      await Promise.all([...running.values()].map((one) => one.end()));
      sockets.remove();
    },
  };
}

const NOT_STARTED = "MCP could not be started for your tenant. Try again later.";
const away = (words: string, cause?: unknown): DoorRefusal => new DoorRefusal(503, words, { retryAfterS: 3, cause });

/** A folder for sockets, made when the first is wanted. A child that is left alone may have removed it. */
function createSocketFolder(): { folder(): string; remove(): void } {
  let made: string | null = null;
  return {
    folder() {
      const usual = tmpdir();
      made ??= mkdtempSync(join(usual.length > LONGEST_SOCKET - 40 ? "/tmp" : usual, "zeph-gateway-"));
      mkdirSync(made, { recursive: true });
      // Others may pass, to a folder whose name they were told.
      chmodSync(made, 0o711);
      return made;
    },
    remove() {
      if (made) rmSync(made, { recursive: true, force: true });
    },
  };
}
