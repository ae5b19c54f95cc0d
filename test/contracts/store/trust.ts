import { describe, expect, it } from "vitest";
import { user } from "./conversations.ts";
import type { WithStore } from "./with-store.ts";

/** What a person vouched for, and how audit logs ended. */
export function describeTrust(name: string, withStore: WithStore): void {
  describe(`${name}: trust`, () => {
    it(
      "remembers the last hash of a subject until it is removed",
      withStore(async ({ trust }) => {
        expect(trust.get("/w")).toBeNull();
        await trust.set("/w", "h1");
        await trust.set("/w", "h2");
        await trust.set("/a'b", "h3");
        expect(trust.get("/w")).toBe("h2");
        expect(await trust.list()).toEqual([
          { subject: "/a'b", hash: "h3", since: expect.any(Number) },
          { subject: "/w", hash: "h2", since: expect.any(Number) },
        ]);
        expect(await trust.remove("/w")).toBe(true);
        expect(await trust.remove("/w")).toBe(false);
        expect(trust.get("/w")).toBeNull();
      }),
    );
  });

  describe(`${name}: anchors`, () => {
    it(
      "keeps the last anchor of each file",
      withStore(async ({ anchors }) => {
        expect(anchors.get("/a")).toBeNull();
        anchors.set("/a", { count: 1, hash: "x", size: 10 });
        anchors.set("/a", { count: 2, hash: "y", size: 2 ** 40 });
        anchors.set("/b", { count: 1, hash: "z", size: 1 });
        expect(anchors.get("/a")).toEqual({ count: 2, hash: "y", size: 2 ** 40 });
        expect(anchors.files()).toEqual(["/a", "/b"]);
      }),
    );

    it(
      "does not lose an anchor that is set while an append fails",
      withStore(async ({ conversations, anchors }) => {
        const failing = conversations.append("none", [user("x")]).catch(() => "failed");
        for (let i = 1; i <= 20; i++) {
          anchors.set("/a", { count: i, hash: "x", size: i });
          await Promise.resolve();
        }
        expect(await failing).toBe("failed");
        expect(anchors.get("/a")?.count).toBe(20);
      }),
    );
  });
}
