import { expect, it } from "vitest";
import { createEventStore } from "./event-store.ts";

const message = (n: number, size = 10) => ({ jsonrpc: "2.0" as const, method: "m", params: { n, text: "x".repeat(size) } });

const replayed = async (store: ReturnType<typeof createEventStore>, id: string) => {
  const came: unknown[] = [];
  await store.replayEventsAfter(id, {
    send: async (_id, one) => {
      came.push((one as unknown as { params: { n: number } }).params.n);
    },
  });
  return came;
};

it("the event store tells what came after, on the same stream only", async () => {
  const store = createEventStore();
  const first = await store.storeEvent("a_1", message(1));
  await store.storeEvent("b", message(2));
  await store.storeEvent("a_1", message(3));
  expect(await store.getStreamIdForEventId!(first)).toBe("a_1");
  expect(await replayed(store, first)).toEqual([3]);
  for (const id of ["a_1_99", "nothing", "", "_"]) expect(await replayed(store, id)).toEqual([]);
});

it("the event store keeps no more than there is room for", async () => {
  const store = createEventStore();
  const first = await store.storeEvent("a", message(0));
  let last = first;
  for (let n = 1; n <= 300; n++) {
    const id = await store.storeEvent("a", message(n));
    if (n === 100) last = id;
  }
  expect(await replayed(store, first)).toEqual([]);
  expect(await replayed(store, last)).toHaveLength(200);
  for (let n = 0; n < 20; n++) await store.storeEvent("a", message(n, 200_000));
  expect(await replayed(store, last)).toEqual([]);
});
