import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Bus } from "../../src/core/ports/fleet/session.ts";
import { type BusOptions, openBus } from "../../src/fleet/bus/bus.ts";
import { SUBJECTS } from "../../src/fleet/bus/subjects.ts";

export interface BusPlace {
  readonly options: BusOptions;
  /** As a stranger on the same server would: text that is not ours. */
  readonly tellRaw?: (subject: string, text: string) => Promise<void>;
}

/** A fleet that no other test has. */
export const newFleet = (): string => `f${randomBytes(6).toString("hex")}`;

/** What every bus does. `place` gives a fleet of its own at each call. */
export function describeBus(name: string, place: () => BusPlace): void {
  describe(`a bus ${name}`, () => {
    const open: Bus[] = [];
    const connect = async (options: BusOptions): Promise<Bus> => {
      const bus = await openBus(options);
      open.push(bus);
      return bus;
    };
    afterEach(async () => {
      await Promise.all(open.splice(0).map((bus) => bus.close()));
    });

    it("tells what was said to all who listen, itself included, in order", async () => {
      const { options } = place();
      const [one, two] = [await connect(options), await connect(options)];
      const heard: [string, unknown, string][] = [];
      await one.hear("wake.gpu", (data, subject) => heard.push(["one", data, subject]));
      await one.hear("wake.gpu", (data, subject) => heard.push(["one again", data, subject]));
      await two.hear("wake.gpu", (data, subject) => heard.push(["two", data, subject]));
      for (let times = 0; times < 3; times++) one.tell("wake.gpu", { n: 1 });
      one.tell("wake.gpu", [2, "zwei ✓\u0000\ud800"]);
      one.tell("wake.gpu");
      await vi.waitFor(() => expect(heard.length).toBe(15), { timeout: 25_000 });
      for (const who of ["one", "one again", "two"])
        expect(heard.filter(([listener]) => listener === who).map(([, data, subject]) => [data, subject])).toEqual([
          [{ n: 1 }, "wake.gpu"],
          [{ n: 1 }, "wake.gpu"],
          [{ n: 1 }, "wake.gpu"],
          [[2, "zwei ✓\u0000\ud800"], "wake.gpu"],
          [undefined, "wake.gpu"],
        ]);
    });

    it("keeps subjects and fleets apart, whatever a name holds", async () => {
      const { options } = place();
      const [bus, other] = [await connect(options), await connect(place().options)];
      const heard: string[] = [];
      const names = ["*", ">", "a.b", "a b", "", "A", "é", "x".repeat(500)];
      for (const session of names) await bus.hear(SUBJECTS.out("t", session), () => heard.push(session));
      await bus.hear("out.*.>", () => heard.push("a star"));
      await bus.hear(SUBJECTS.out("t.a", "b"), () => heard.push("another tenant"));
      await other.hear(SUBJECTS.out("t", "A"), () => heard.push("another fleet"));
      for (const session of names) bus.tell(SUBJECTS.out("t", session));
      await vi.waitFor(() => expect(heard.length).toBe(names.length), { timeout: 25_000 });
      bus.tell(SUBJECTS.out("t", "*"));
      await vi.waitFor(() => expect(heard).toEqual([...names, "*"]), { timeout: 25_000 });
    });

    it("carries 64 kB, and of more only the hint", async () => {
      const bus = await connect(place().options);
      const heard: unknown[] = [];
      await bus.hear("out", (data) => heard.push(data));
      const most = 'é"'.repeat(16_000);
      bus.tell("out", most);
      bus.tell("out", "x".repeat(64 * 1024));
      const circle: unknown[] = [];
      circle.push(circle);
      bus.tell("out", circle);
      bus.tell("out", 1n);
      bus.tell("out", "after");
      await vi.waitFor(() => expect(heard.length).toBe(5), { timeout: 25_000 });
      expect(heard).toEqual([most, undefined, undefined, undefined, "after"]);
    });

    it("goes on when a listener throws, at once or later", async () => {
      const bus = await connect(place().options);
      const heard: unknown[] = [];
      await bus.hear("in", () => {
        throw new Error("no");
      });
      await bus.hear("in", async () => {
        throw new Error("neither");
      });
      await bus.hear("in", (data) => heard.push(data));
      bus.tell("in", 1);
      bus.tell("in", 2);
      await vi.waitFor(() => expect(heard).toEqual([1, 2]), { timeout: 25_000 });
    });

    it("tells nothing to those who left, and the others still hear", async () => {
      const { options } = place();
      const bus = await connect(options);
      const heard: string[] = [];
      const leave = await bus.hear("in", () => heard.push("left"));
      const leaveToo = await bus.hear("in", () => heard.push("stays for now"));
      leave();
      leave();
      bus.tell("in");
      await vi.waitFor(() => expect(heard).toEqual(["stays for now"]), { timeout: 25_000 });
      leaveToo();
      await bus.hear("in", () => heard.push("came later"));
      bus.tell("in");
      await vi.waitFor(() => expect(heard).toEqual(["stays for now", "came later"]), { timeout: 25_000 });
    });

    it("sends before it ends what it was told right before, and then is silent", async () => {
      const { options } = place();
      const [bus, short] = [await connect(options), await connect(options)];
      const heard: unknown[] = [];
      await bus.hear("ctl", (data) => heard.push(data));
      short.tell("ctl", "last words");
      await short.close();
      await short.close();
      short.tell("ctl", "from the dead");
      bus.tell("ctl", "from the living");
      await vi.waitFor(() => expect(heard).toEqual(["last words", "from the living"]), { timeout: 25_000 });
    });

    const { tellRaw } = place();
    if (tellRaw)
      it("passes on nothing that is not its own", async () => {
        const { options, tellRaw: tellIt } = place();
        const bus = await connect(options);
        const heard: unknown[] = [];
        await bus.hear("policy", (data) => heard.push(data));
        for (const text of ["{", "no JSON", "x 1 2 [", "x 2 2 ]", "x 1 99 []", 'x 1 1 ["policy"', "x 1 1 {}", "x".repeat(7000)])
          await tellIt!("policy", text);
        bus.tell("policy", "a true one");
        await vi.waitFor(() => expect(heard).toEqual(["a true one"]), { timeout: 25_000 });
      });
  });
}
