import { describe, expect, it } from "vitest";
import type { Store } from "../../../src/core/ports/store.ts";
import { allMessages, describeConversations, numbered, user } from "./conversations.ts";
import { describeMemories, found, sharedMemories } from "./memories.ts";
import { describeOpenQuestions, sharedOpenQuestions } from "./open-questions.ts";
import { describeOverflow } from "./overflow.ts";
import { describePins, sharedPins } from "./pins.ts";
import { describePlans, sharedSchedule } from "./plans.ts";
import { describeSavings, sharedSavings } from "./savings.ts";
import { describeSearch } from "./search.ts";
import { describeSessionMemory, sharedSessionMemory } from "./session-memory.ts";
import { describeStrangerWrites, describeTrajectories, sharedTrajectories } from "./trajectories.ts";
import { describeTrust } from "./trust.ts";
import type { WithStore } from "./with-store.ts";

/** A database under test. Differences are declared, not sniffed. */
export interface StoreUnderTest {
  /** Opens the same data each time it is called within one test. */
  open(): Store | Promise<Store>;
  /** Whether what was written is there when it is opened again, or by a second connection. */
  readonly data: "kept" | "gone";
}

/** What every store must do, as a suite of tests. `make` is called for each test: another one has other data. */
export function describeStore(name: string, make: () => StoreUnderTest): void {
  const withStore: WithStore = (test) => async () => {
    const store = await make().open();
    try {
      await test(store);
    } finally {
      await store.close();
    }
  };

  describeConversations(name, withStore);
  describeTrust(name, withStore);
  describeOverflow(name, withStore);
  describeMemories(name, withStore);
  describeSearch(name, withStore);
  describePlans(name, withStore);
  describeTrajectories(name, withStore);
  describeStrangerWrites(name, withStore);
  describePins(name, withStore);
  describeOpenQuestions(name, withStore);
  describeSavings(name, withStore);
  describeSessionMemory(name, withStore);

  describe(`${name}: opening and closing`, () => {
    it("says so when it is used after it was closed, and closes twice without complaint", async () => {
      const store = await make().open();
      await store.close();
      await store.close();
      expect(() => store.trust.get("x")).toThrow("closed");
      await expect(store.conversations.list({ limit: 1 })).rejects.toThrow("closed");
      await expect(store.overflow.put({ owner: { session: "s" }, text: "x" })).rejects.toThrow("closed");
    });

    if (make().data === "gone") return;

    it("has everything when it is opened again", async () => {
      const { open } = make();
      const first = await open();
      const { id } = await first.conversations.create("/w", "t");
      await first.conversations.append(id, [user("x")]);
      await first.trust.set("/w", "h");
      first.anchors.set("/a", { count: 1, hash: "x", size: 1 });
      const kept = await first.overflow.put({ owner: { conversation: id }, text: "long" });
      await first.memories.save({ content: "a zebra", workspace: "/w", untrusted: false });
      await first.goals.create({ workspace: "/w", text: "g", tasks: [{ n: 1, title: "t", needs: [], status: "open" }] });
      await first.schedule.add({ workspace: "/w", task: "t", when: "w", cron: null, nextAt: 1, untrusted: false, bound: null });
      await first.summaries.add({ conversation: id, until: 1, text: "s", opening: "", method: "manual" });
      await first.trajectories.add({ workspace: "/w", callId: "c", steps: [["read", "a"]], ended: "error" });
      await first.pins.put("files", [{ tool: "read", hash: "h", definition: "{}" }]);
      await first.close();
      const second = await open();
      expect(await found(second.memories, "zebra x", "/w")).toEqual(["a zebra", "x"]);
      expect((await second.goals.active("/w"))!.tasks).toHaveLength(1);
      expect(await second.schedule.nextAt("/w")).toBe(1);
      expect(await second.summaries.of(id)).toHaveLength(1);
      expect(await second.trajectories.bad("/w", 0, 9)).toMatchObject([{ callId: "c", steps: [["read", "a"]] }]);
      expect(await second.pins.of("files")).toMatchObject([{ tool: "read", hash: "h", definition: "{}" }]);
      expect(await allMessages(second.conversations, id)).toHaveLength(1);
      expect(second.trust.get("/w")).toBe("h");
      expect(second.anchors.get("/a")).toEqual({ count: 1, hash: "x", size: 1 });
      expect(await second.overflow.get({ conversation: id }, kept)).toMatchObject({ text: "long" });
      await second.close();
    });

    it("shows each of two connections what the other remembers, and gives a task that is due to one of them", async () => {
      const { open } = make();
      const [one, two] = [await open(), await open()];
      await sharedMemories(one, two);
      await sharedSchedule(one, two);
      await sharedTrajectories(one, two);
      await sharedPins(one, two);
      await sharedSavings(one, two);
      await sharedSessionMemory(one, two);
      await sharedOpenQuestions(one, two);
      await one.close();
      await two.close();
    });

    it("lets two connections write to one conversation, and neither waits for the other for ever", async () => {
      const { open } = make();
      const [one, two] = [await open(), await open()];
      const { id } = await one.conversations.create("/w", "t");
      const begun = performance.now();
      const appends = Array.from({ length: 50 }, (_, i) => (i % 2 ? one : two).conversations.append(id, [numbered(i)]));
      for (let i = 1; i <= 50; i++) {
        two.anchors.set("/a", { count: i, hash: "x", size: i });
        await Promise.resolve();
      }
      await Promise.all(appends);
      expect(performance.now() - begun).toBeLessThan(60_000);
      expect((await allMessages(two.conversations, id)).map((m) => m.position)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
      expect(one.anchors.get("/a")?.count).toBe(50);
      await one.close();
      await two.close();
    });
  });
}
