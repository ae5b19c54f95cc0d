import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Zeph } from "../../src/index.ts";
import { workspace } from "../workspace.ts";
import { cases } from "./cases.ts";

const all = cases<{ readonly command: string; readonly guard: "asks" | "is silent" }>("guard-writes.jsonl");
const place = workspace([
  { op: "file", path: "work/.claude/settings.json", content: "{}" },
  { op: "file", path: "work/src/a.ts", content: "" },
]);
const client = { name: "claude", session: "s", walls: "none", unruled: "left to it" } as const;
let zeph: Zeph;
beforeAll(async () => {
  zeph = await place.runtime({ config: { audit: { path: `${place.state}/guard.jsonl` } } });
});
afterAll(async () => {
  await zeph.close();
  place.remove();
});

describe("Without walls Zeph asks about a write to a place that is not known, or lies outside, and about no other", () => {
  it.each(all.map((one) => [one.guard, one.command] as const))("%s: %s", async (guard, command) => {
    const { verdict } = await zeph.decide("bash", { command }, { client, record: true });
    expect(verdict === "allow" ? "is silent" : "asks").toBe(guard);
  });
});
