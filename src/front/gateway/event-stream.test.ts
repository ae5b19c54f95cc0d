import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { GatewayDoor, TaskView } from "./door.ts";
import { streamEvents } from "./event-stream.ts";

const task = (state: TaskView["state"]): TaskView => ({
  id: "t1",
  key: null,
  session: "s",
  batch: null,
  state,
  text: "Do it.",
  person: "ann",
  attempt: 1,
  worker: null,
  cancel: null,
  result: null,
  createdAt: 0,
  endedAt: null,
});

async function served(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The types of the events that a client gets of a task that ends while it listens. `later` is done right after the gateway saw the end. */
async function followed(later: (tell: (event: Readonly<Record<string, unknown>>) => void) => void): Promise<readonly string[]> {
  let tell: (event: Readonly<Record<string, unknown>>) => void = () => {};
  const door = {
    async hear(_session: string, listener: typeof tell) {
      tell = listener;
      return () => {};
    },
    async task() {
      setImmediate(() => later(tell));
      return task("done");
    },
  } as unknown as GatewayDoor;
  const url = await served((request, response) => {
    const parts = { door, session: "s", followed: task("running"), isKnown: async () => true, onEnding: () => () => {} };
    void streamEvents(parts, request, response);
  });
  const text = await (await fetch(url)).text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line!).type);
}

it("a stream of a task that is over waits for the events that were under way, and for the word that there are no more", async () => {
  const types = await followed((tell) => {
    for (const type of ["text", "done", "end"]) tell({ type, task: "t1" });
  });
  expect(types).toEqual(["state", "text", "done", "end"]);
});

it("a stream of a task that is over ends, too, where nobody tells of the end", async () => {
  expect(await followed(() => {})).toEqual(["state", "end"]);
});
