import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ModelError } from "../../src/core/model-error.ts";
import type { ModelMiddleware } from "../../src/core/ports/model.ts";
import { createBuckets } from "../../src/fleet/govern/buckets.ts";
import { createProviderPace } from "../../src/fleet/provider-pace.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { box, ended } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const url = hasPostgres ? await makeSchema() : "";
const prompt = { system: "", tools: [], messages: [] };
const open = (tenant: string) => {
  const db = openPg({ url, tenant, role: "zeph_worker" });
  onTestFinished(() => db.close());
  return db;
};
/** One request through the middleware; what comes of it in a word. */
const ask = async (
  middleware: ModelMiddleware,
  next: Parameters<ModelMiddleware>[1],
  { signal } = new AbortController(),
): Promise<string> => {
  try {
    for await (const _event of middleware(prompt, next, { model: "m", signal }));
    return "answered";
  } catch (error) {
    return signal.aborted ? "stopped" : (error as Error).message;
  }
};
async function* nothing(): ReturnType<Parameters<ModelMiddleware>[1]> {}

describe.skipIf(!hasPostgres)("requests to a provider", () => {
  it("are no more in a minute than all machines may send together", async () => {
    const tenant = newTenant();
    const buckets = createBuckets(open(tenant));
    await buckets.set("p", 10);
    const began = performance.now();
    const stops: AbortController[] = [];
    const stoppable = () => {
      const stop = new AbortController();
      stops.push(stop);
      return stop;
    };
    let sent = 0;
    const machines = [1, 2, 3].map(() => createProviderPace({ buckets: createBuckets(open(tenant)), onRateLimited: () => {} }));
    const asked = machines.flatMap((pace) =>
      Array.from({ length: 10 }, () =>
        ask(
          pace.middlewareFor("p"),
          () => {
            sent++;
            return nothing();
          },
          stoppable(),
        ),
      ),
    );
    await expect.poll(() => sent).toBeGreaterThanOrEqual(10);
    // What all of them took is what the bucket gave, and it fills by one in six seconds.
    const most = () => 10 + Math.ceil((performance.now() - began) / 6000);
    expect(sent).toBeLessThanOrEqual(most());
    for (const stop of stops) stop.abort();
    const ends = await Promise.all(asked);
    expect(ends.filter((end) => end === "answered").length).toBe(sent);
    expect(new Set(ends)).toEqual(new Set(["answered", "stopped"]));
  });

  it("have no limit where none was set", async () => {
    const pace = createProviderPace({ buckets: createBuckets(open(newTenant())), onRateLimited: () => {} });
    const ends = await Promise.all(Array.from({ length: 50 }, () => ask(pace.middlewareFor("p"), nothing)));
    expect(new Set(ends)).toEqual(new Set(["answered"]));
  });

  it("that were too many hold back the whole limit, for as long as the provider says", async () => {
    const held: [string, number][] = [];
    const pace = createProviderPace({
      buckets: createBuckets(open(newTenant())),
      onRateLimited: (limit, ms) => held.push([limit, ms]),
    });
    const fails = (error: Error) => () => {
      throw error;
    };
    await ask(pace.middlewareFor("p"), fails(new ModelError("rate_limited", "too many", { retryAfterMs: 30_000 })));
    await ask(pace.middlewareFor("q"), fails(new ModelError("rate_limited", "too many")));
    await ask(pace.middlewareFor("p"), fails(new ModelError("server_error", "broken")));
    expect(held).toEqual([
      ["p", 30_000],
      ["q", 10_000],
    ]);
  });

  it("that a worker's provider refuses with 429 let no task of the limit begin", async () => {
    const tenant = newTenant();
    let asked = 0;
    const server = createServer((request, response) => {
      request.resume();
      asked++;
      response.writeHead(429, { "content-type": "application/json", "retry-after": "120" });
      response.end('{"error": {"message": "slow down"}}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const here = box();
    here.config(
      `autonomy = "full"\n[fleet]\npoll_ms = 50\nlease_ms = 3000\n[[llm.providers]]\nname = "busy"\ntype = "compatible"\nmodel = "m"\nbase_url = "http://127.0.0.1:${(server.address() as AddressInfo).port}/v1"\ncontext_tokens = 100000\n`,
    );
    const db = openPg({ url, tenant, role: "zeph_gateway" });
    onTestFinished(() => db.close());
    const queue = createTaskQueue(db);
    await queue.setLimit("p", 1);
    await createBuckets(db).set("p", 1000);
    const submit = (text: string, limit: string) => queue.submit([{ key: text, limit, payload: { format: 1, text } }]);
    await submit("first", "p");
    await submit("second", "p");
    const worker = here.start(["worker", "--tenant", tenant, "--name", `w-${tenant}`], { ZEPH_STORE: url });
    const [wait] = ["select extract(epoch from not_before - now())::double precision as seconds from limits where key = 'p'"];
    await expect.poll(async () => (await db.one(wait!))?.seconds ?? 0).toBeGreaterThan(60);
    const bucket = await db.one("select extract(epoch from not_before - now())::double precision as seconds from buckets where key = 'p'");
    expect(bucket!.seconds).toBeGreaterThan(60);
    // Time in which the second one would have begun: a task of another limit that came later is begun.
    await submit("third", "q");
    await expect.poll(() => asked).toBeGreaterThanOrEqual(2);
    // Two that were put in within a millisecond have no order.
    const waiting = (await queue.list()).filter(({ key, state, attempt }) => key !== "third" && state === "queued" && attempt === 0);
    expect(waiting).toHaveLength(1);
    worker.kill("SIGKILL");
    await ended(worker);
  });
});
