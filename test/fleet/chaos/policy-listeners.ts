import { openBus } from "../../../src/fleet/bus/bus.ts";
import { createPolicies } from "../../../src/fleet/govern/policies.ts";
import { openPolicyFollower } from "../../../src/fleet/govern/policy-follower.ts";
import { openPg } from "../../../src/store/pg/pg.ts";

/** Those who follow the policy of a tenant, each with connections of its own, as processes on several machines have them. */
export interface PolicyListeners {
  /** Pushes a version. Resolves with the milliseconds until it is in force with all of them. */
  push(): Promise<number>;
  close(): Promise<void>;
}

/** No look by the clock comes in between: a version that no hint tells of is never in force. */
const NEVER_MS = 2_000_000_000;

export async function openPolicyListeners(url: string, bus: string, count = 3): Promise<PolicyListeners> {
  const tenant = "policies";
  const closers: (() => Promise<void>)[] = [];
  const open = async () => {
    const db = openPg({ url, tenant, max: 2 });
    const hints = await openBus({ url: bus, db: { url } });
    const follower = await openPolicyFollower({ db, bus: hints, beatMs: NEVER_MS, check: () => {}, warn: () => {} });
    // Listened to later and in order: what the follower listens to is known to the server, too.
    await hints.hear("heard", () => {});
    closers.push(follower.close, () => hints.close(), db.close);
    return follower;
  };
  const followers = await Promise.all(Array.from({ length: count }, open));
  const db = openPg({ url, tenant, role: "zeph_gateway", max: 2 });
  const hints = await openBus({ url: bus, db: { url } });
  closers.push(() => hints.close(), db.close);
  const policies = createPolicies(db, hints);
  let pushed = await policies.newest();
  return {
    async push() {
      const next = pushed + 1;
      const started = performance.now();
      const inForce = followers.map(
        (follower) =>
          new Promise<void>((resolve) => {
            const leave = follower.onChange(() => {
              if ((follower.current()?.version ?? 0) < next) return;
              leave();
              resolve();
            });
          }),
      );
      pushed = await policies.push({ format: 1, files: { "config.toml": `# ${next}\nautonomy = "ask"\n` } }, "bench");
      await Promise.all(inForce);
      return performance.now() - started;
    },
    async close() {
      for (const close of closers) await close();
    },
  };
}
