import { describe, expect, it } from "vitest";
import { createPendingApprovals } from "../../src/runtime/adapters/pending-approvals.ts";

const web = { tool: "deploy", args: { service: "web", force: true } };

describe("A yes of a loop with ids", () => {
  it("counts once, for the arguments that were shown first, in whatever order they are written", () => {
    const pending = createPendingApprovals();
    const call = { ...web, callId: "1" };
    expect(pending.take(call)).toBe("unknown");
    pending.put(call);
    pending.put({ ...call, args: { service: "all" } });
    expect(pending.take({ ...call, args: { service: "all" } })).toBe("changed");
    pending.put({ ...call, callId: "2" });
    expect(pending.take({ tool: "deploy", args: { force: true, service: "web" }, callId: "2" })).toBe("open");
    expect(pending.take({ ...call, callId: "2" })).toBe("used");
    pending.put({ ...call, callId: "2" });
    expect(pending.take({ ...call, callId: "2" })).toBe("used");
  });
  it("is of no use to another tool, or after too many other questions", () => {
    const pending = createPendingApprovals();
    pending.put({ ...web, callId: "1" });
    expect(pending.take({ ...web, tool: "wipe", callId: "1" })).toBe("unknown");
    for (let n = 0; n < 1000; n++) pending.put({ ...web, callId: `other ${n}` });
    expect(pending.take({ ...web, callId: "1" })).toBe("unknown");
  });
});

describe("A yes of a loop without ids", () => {
  it("is there when the loop has looked twice, and counts once", () => {
    const pending = createPendingApprovals();
    pending.put(web);
    expect(pending.isAnswered(web)).toBe(false);
    expect(pending.take(web)).toBe("unknown");
    pending.put(web);
    expect(pending.isAnswered(web)).toBe(true);
    expect(pending.take({ ...web, args: { service: "all" } })).toBe("unknown");
    expect(pending.take(web)).toBe("open");
    expect(pending.take(web)).toBe("unknown");
  });
  it("does not outlive a no: the same call is a new question", () => {
    const pending = createPendingApprovals();
    for (let n = 0; n < 2; n++) pending.put(web);
    pending.put(web);
    expect(pending.isAnswered(web)).toBe(false);
    expect(pending.take(web)).toBe("unknown");
  });
});
