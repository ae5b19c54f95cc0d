import { describe, expect, it } from "vitest";
import { createContact } from "./contact.ts";
import { createLease, type Moment } from "./lease.ts";

/** A machine's two clocks, set by hand. */
function createClock() {
  let now: Moment = { mono: 1000, wall: 50_000 };
  const move = (mono: number, wall = mono): Moment => {
    now = { mono: now.mono + mono, wall: now.wall + wall };
    return now;
  };
  return { clock: () => now, move, passes: (ms: number) => move(ms) };
}

describe("a lease by the worker's own clock", () => {
  it("is sure for less than 0.8 of its time after the question, and again after the next answer", () => {
    const { clock, move } = createClock();
    const lease = createLease(1000, clock(), clock);
    move(799);
    expect(lease.isSure()).toBe(true);
    const asked = move(1);
    expect(lease.isSure()).toBe(false);
    lease.renew(asked);
    expect(lease.isSure()).toBe(true);
  });

  it("counts from the question: an answer that comes late renews nothing", () => {
    const { clock, move } = createClock();
    const lease = createLease(1000, clock(), clock);
    const asked = move(100);
    move(900);
    lease.renew(asked);
    expect(lease.isSure()).toBe(false);
  });

  it.each([
    ["the wall clock while the other one stands still, as in a machine that sleeps", 10, 5000],
    ["the steady clock while the other one is set back", 5000, -9000],
  ])("goes by %s", (_, mono, wall) => {
    const { clock, move } = createClock();
    const lease = createLease(1000, clock(), clock);
    move(mono, wall);
    expect(lease.isSure()).toBe(false);
  });

  it("lets those who wait go on with the next answer, and ends their waiting when the task is stopped", async () => {
    const { clock, move } = createClock();
    const lease = createLease(1000, clock(), clock);
    const stop = new AbortController();
    move(900);
    const going = lease.untilSure(new AbortController().signal);
    const stopped = lease.untilSure(stop.signal);
    stop.abort();
    expect(await stopped).toBe(false);
    lease.renew(clock());
    expect(await going).toBe(true);
  });
});

describe("contact with the server", () => {
  /** Answered every 250 ms for as long as this. */
  const keepInTouch = (ms: number, lease = 1000) => {
    const hands = createClock();
    const contact = createContact(lease, hands.clock);
    for (let at = 0; at <= ms; at += 250) {
      contact.answered(hands.clock());
      hands.passes(250);
    }
    return { contact, ...hands };
  };

  it("has lasted after a whole lease, not before", () => {
    expect(keepInTouch(500).contact.hasLasted()).toBe(false);
    expect(keepInTouch(1000).contact.hasLasted()).toBe(true);
  });

  it("begins anew after a beat that was not answered: an outage gives everybody a whole lease", () => {
    const { contact, clock, passes } = keepInTouch(3000);
    contact.missed();
    expect(contact.hasLasted()).toBe(false);
    for (let n = 0; n < 3; n++) {
      contact.answered(clock());
      passes(250);
    }
    expect(contact.hasLasted()).toBe(false);
  });

  it("begins anew after the worker itself was frozen, although it missed no answer", () => {
    const { contact, clock, passes } = keepInTouch(3000);
    passes(5000);
    expect(contact.hasLasted()).toBe(false);
    contact.answered(clock());
    passes(100);
    expect(contact.hasLasted()).toBe(false);
  });
});
