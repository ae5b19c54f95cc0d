import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { createMemorySources, sampleQuestion } from "./memory-sources.ts";
import { openClient, type WatchClient } from "./watch-client.ts";

/** Reads until the text fits, and gives all of it. */
async function readUntil(events: IncomingMessage, fits: (text: string) => boolean): Promise<string> {
  let text = "";
  for await (const piece of events.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    text += piece;
    if (fits(text)) return text;
  }
  throw new Error(`It ended before it fitted: ${text}`);
}

const lastOf = (text: string, event: string): any =>
  JSON.parse([...text.matchAll(new RegExp(`event: ${event}\ndata: (.*)\n\n`, "g"))].at(-1)![1]!);

async function following(client: WatchClient): Promise<IncomingMessage> {
  await client.enter();
  return client.open("/events");
}

it("a page hears at once what waits, and is told when to come back", async () => {
  const client = await openClient();
  client.sources.ask(sampleQuestion());
  const events = await following(client);
  expect(events.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  const text = await readUntil(events, (all) => all.includes("event: questions"));
  expect(text).toMatch(/^retry: 1000\n\n/);
  expect(lastOf(text, "questions")).toMatchObject({ count: 1, cards: expect.stringContaining("edit needs a yes.") });
});

it("cards that come live carry the mark of their own reader", async () => {
  const client = await openClient();
  const first = await following(client);
  const firstMark = await client.mark();
  const second = await following(client);
  const secondMark = await client.mark();
  expect(firstMark).not.toBe(secondMark);
  client.sources.ask(sampleQuestion());
  for (const [events, own, other] of [
    [first, firstMark, secondMark],
    [second, secondMark, firstMark],
  ] as const) {
    const text = await readUntil(events, (all) => all.includes("edit needs a yes"));
    expect(lastOf(text, "questions").cards).toContain(own);
    expect(text).not.toContain(other);
  }
});

it("a question that was answered elsewhere is gone from what comes next", async () => {
  const client = await openClient();
  client.sources.ask(sampleQuestion());
  const events = await following(client);
  await readUntil(events, (all) => all.includes('"count":1'));
  client.sources.withdraw("asked-1");
  const text = await readUntil(events, (all) => all.includes('"count":0'));
  expect(lastOf(text, "questions")).toEqual({ cards: "", count: 0 });
});

it("calls come as rows of the table as they end", async () => {
  const client = await openClient();
  const events = await following(client);
  await readUntil(events, (all) => all.includes("event: questions"));
  client.sources.addCall({ tool: "bash", args: { command: "echo <b>" }, outcome: "ok", call_id: "fresh-1" });
  const text = await readUntil(events, (all) => all.includes("event: calls"));
  expect(lastOf(text, "calls")).toEqual([
    expect.stringMatching(/^<tr><td class="when">.*<a href="\/log\/fresh-1".*echo &lt;b&gt;.*<\/tr>$/),
  ]);
});

it("a page hears that the server is here while nothing happens", async () => {
  const client = await openClient({ beatMs: 5 });
  const events = await following(client);
  expect(await readUntil(events, (all) => all.split(": here\n\n").length > 2)).toContain(": here\n\n");
});

it("nothing is followed while nobody looks", async () => {
  const client = await openClient();
  expect(client.sources.followers()).toBe(0);
  const events = await following(client);
  await readUntil(events, (all) => all.includes("event: questions"));
  expect(client.sources.followers()).toBe(2);
  events.destroy();
  await expect.poll(() => client.sources.followers()).toBe(0);
});

it("so many pages may be open, and one more is told to come later", async () => {
  const client = await openClient();
  await client.enter();
  const open = await Promise.all(Array.from({ length: 24 }, () => client.open("/events")));
  expect(open.map(({ statusCode }) => statusCode)).toEqual(Array(24).fill(200));
  const more = await client.ask("/events");
  expect([more.status, more.headers["retry-after"]]).toEqual([503, "10"]);
  open[0]!.destroy();
  await expect
    .poll(async () => {
      const again = await client.open("/events");
      again.destroy();
      return again.statusCode;
    })
    .toBe(200);
  for (const events of open) events.destroy();
});

it("a page that closes ends what is followed", async () => {
  const sources = createMemorySources();
  const client = await openClient({ sources });
  const events = await following(client);
  await readUntil(events, (all) => all.includes("event: questions"));
  await client.page.close();
  expect(sources.followers()).toBe(0);
  await expect(client.ask("/")).rejects.toThrow();
});

it("questions that cannot be read do not end what is live", async () => {
  const client = await openClient();
  const { live } = client.sources;
  const { questions } = live;
  (live as { questions: unknown }).questions = () => Promise.reject(new Error("gone"));
  const events = await following(client);
  await readUntil(events, (all) => all.includes("retry"));
  (live as { questions: unknown }).questions = questions;
  client.sources.ask(sampleQuestion());
  expect(await readUntil(events, (all) => all.includes('"count":1'))).toContain("edit needs a yes");
});
