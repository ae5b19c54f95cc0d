import { describe, expect, it } from "vitest";
import { describeStore } from "../../test/contracts/store/store-contract.ts";
import { openStore } from "./open.ts";
import { nameWorkspace } from "./workspace-name.ts";

describeStore("SQLite under another name", () => ({
  open: () => nameWorkspace(openStore("memory"), "/w", "repo:acme/w"),
  data: "gone",
}));

describe("a workspace with a name", () => {
  const everything = async (store: ReturnType<typeof openStore>, workspace: string) => ({
    conversations: (await store.conversations.list({ workspace, limit: 9 })).map(({ workspace }) => workspace),
    memories: (await store.memories.list({ workspace, limit: 9 })).map(({ workspace }) => workspace),
    found: (await store.memories.search({ text: "zebra", workspace, limit: 9 })).hits.length,
    goals: (await store.goals.list(workspace, 9)).map(({ workspace }) => workspace),
    active: (await store.goals.active(workspace))?.workspace,
    tasks: (await store.schedule.list(workspace)).map(({ workspace }) => workspace),
    nextAt: await store.schedule.nextAt(workspace),
    bad: (await store.trajectories.bad(workspace, 0, 9)).map(({ workspace }) => workspace),
    count: await store.memories.count(workspace),
  });
  const all = (workspace: string) => ({
    conversations: [workspace],
    memories: [workspace],
    found: 1,
    goals: [workspace],
    active: workspace,
    tasks: [workspace],
    nextAt: 5,
    bad: [workspace],
    count: 1,
  });

  it("is found from every folder that has the name, and kept under it alone", async () => {
    const kept = openStore("memory");
    const here = nameWorkspace(kept, "/here", "repo:acme/w");
    const { id } = await here.conversations.create("/here", "t");
    await here.memories.save({ content: "a zebra", workspace: "/here", untrusted: false });
    await here.goals.create({ workspace: "/here", text: "g", tasks: [] });
    await here.schedule.add({ workspace: "/here", task: "t", when: "w", cron: null, nextAt: 5, untrusted: false, bound: null });
    await here.trajectories.add({ workspace: "/here", callId: "c", steps: [["a"]], ended: "violation" });
    expect(await everything(here, "/here")).toEqual(all("/here"));
    expect(await everything(nameWorkspace(kept, "/there", "repo:acme/w"), "/there")).toEqual(all("/there"));
    expect(await everything(kept, "repo:acme/w")).toEqual(all("repo:acme/w"));
    expect((await kept.conversations.get(id))?.workspace).toBe("repo:acme/w");
    const none = { conversations: [], memories: [], found: 0, goals: [], active: undefined, tasks: [], nextAt: null, bad: [], count: 0 };
    expect(await everything(kept, "/here")).toEqual(none);
    expect(await everything(nameWorkspace(kept, "/here", "repo:acme/other"), "/here")).toEqual(none);
    await kept.close();
  });

  it("keeps callers of their own apart, and leaves other folders alone", async () => {
    const kept = openStore("memory");
    const here = nameWorkspace(kept, "/here", "repo:acme/w");
    await here.conversations.create('caller "x" in /here', "t");
    await here.conversations.create("/elsewhere", "t");
    await here.memories.save({ content: "a zebra", workspace: null, untrusted: false });
    expect((await kept.conversations.list({ limit: 9 })).map(({ workspace }) => workspace).sort()).toEqual([
      "/elsewhere",
      'caller "x" in repo:acme/w',
    ]);
    expect((await here.conversations.list({ workspace: 'caller "x" in /here', limit: 9 })).map(({ workspace }) => workspace)).toEqual([
      'caller "x" in /here',
    ]);
    expect((await here.memories.list({ limit: 9 })).map(({ workspace }) => workspace)).toEqual([null]);
    await kept.close();
  });
});
