import { expect, it } from "vitest";
import { statePaths } from "./state-paths.ts";

const env = { HOME: "/home/me", XDG_STATE_HOME: "/state" };

it("keeps the log of a store in memory apart from the one a file store vouches for", () => {
  expect(statePaths({ store: "", audit: "" }, env).audit).toBe("/state/zeph/audit.jsonl");
  expect(statePaths({ store: "", audit: "", kept: "file" }, env).audit).toBe("/state/zeph/audit.jsonl");
  const at = statePaths({ store: "", audit: "", kept: "memory" }, env);
  expect(at).toMatchObject({ audit: "/state/zeph/audit.memory.jsonl", store: "/state/zeph/zeph.db", notes: "/state/zeph/unfinished" });
  expect(statePaths({ store: "", audit: "~/log.jsonl", kept: "memory" }, env).audit).toBe("/home/me/log.jsonl");
});
