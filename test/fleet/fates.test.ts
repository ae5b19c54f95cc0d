import { describe, expect, it } from "vitest";
import { createSessionInbox } from "../../src/fleet/session/inbox.ts";
import { createTurnRows } from "../../src/fleet/session/turn-rows.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema } from "./database.ts";
import { GOOD, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("what is known of a call that has no result", async () => {
  const url = hasPostgres ? await makeSchema() : "";

  it("is found in the turn before, however much was said since", async () => {
    const { queue, db, tenant, submitOne, openWorker } = openQueueParts(url);
    const worker = await openWorker("w");
    const asWorker = openPg({ url, tenant, max: 2 });
    const rows = createTurnRows(asWorker);
    const inbox = createSessionInbox(db, queue);
    await submitOne("first", { session: "s" });
    const [first] = await worker.take(1, []);
    await rows.begin(first!, "here");
    await worker.intent(first!, "open", "runs");
    await worker.intent(first!, "ended", "runs");
    await worker.done(first!, "ended", "ok");
    await worker.finish(first!, "failed", GOOD);
    for (let n = 0; n < 30; n++) await inbox.say("s", `message ${n}`);
    const [next] = await worker.take(1, []);
    expect((await rows.begin(next!, "here"))?.messages).toHaveLength(30);
    expect(Object.fromEntries(await rows.fates("s", ["open", "ended", "other"]))).toEqual({ open: "unknown", ended: "ended" });
    await asWorker.close();
  });
});
