import { createServer } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { openPg } from "../../src/store/pg/pg.ts";

it("a server that is away is asked for as long as it takes: a hundred times are no reason to give up", async () => {
  let asked = 0;
  const server = createServer((socket) => {
    asked++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const db = openPg({ url: `postgres://zeph@127.0.0.1:${port}/none`, max: 1 });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let end = "none";
  const asking = (async () => {
    try {
      await db.patient.one("select 1");
      end = "answered";
    } catch {
      end = "given up";
    }
  })();
  while (asked < 100 && end === "none") {
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(end).toBe("none");
  await db.close();
  while (end === "none") {
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(50);
  }
  await asking;
  expect(end).toBe("given up");
});
