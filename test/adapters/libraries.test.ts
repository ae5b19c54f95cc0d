import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Zeph } from "../../src/index.ts";
import { governLangChain } from "../../src/runtime/adapters/langchain.ts";
import { type Workspace, workspace } from "../workspace.ts";
import { type Driver, LIBRARIES } from "./drivers.ts";

const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const RULES = {
  read: [{ pattern: "*", action: "allow" }],
  lookup: [{ pattern: "*", action: "allow" }],
  wipe: [{ pattern: "*", action: "deny" }],
  write: [{ pattern: "*", action: "ask" }],
  bash: [{ pattern: "git *", action: "ask" }],
};

let place: Workspace;
let zeph: Zeph;
let ran: string[];

beforeEach(async () => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "Hello.\n" }]);
  zeph = await place.runtime({ config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { permissions: RULES } } });
  ran = [];
});
afterEach(async () => {
  await zeph.close();
  place.remove();
});

const did = <T>(what: string, answer: T): T => {
  ran.push(what);
  return answer;
};
const functions = {
  lookup: ({ key }: { key: string }) => did("lookup", `${key} = ${SECRET}`),
  wipe: () => did("wipe", "wiped"),
  deploy: ({ service }: { service: string }) => did(service, { done: service }),
  shell: ({ cmd }: { cmd: string }) => did(cmd, "ok"),
  fails: () => {
    throw new Error(`no route with ${SECRET}`);
  },
};
const lines = () =>
  place
    .audit()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe.each(Object.keys(LIBRARIES))("A program's own tool in %s", (library) => {
  let driver: Driver;
  const options = { session: "s-1", as: { shell: ({ cmd }: { cmd: string }) => ({ tool: "bash", args: { command: cmd } }) } };
  beforeEach(() => {
    driver = LIBRARIES[library]!.governed(zeph, functions, options);
  });

  it("runs where a rule allows it, without its secrets, and is written down with who called", async () => {
    expect(await driver.run("1", "lookup", { key: "token" }, "nobody")).toMatch(/^token = \[redacted:/);
    expect(ran).toEqual(["lookup"]);
    expect(lines().filter(({ tool }) => tool === "lookup")).toMatchObject([
      { kind: "call", verdict: "allow", toolset: `client:${library}`, session_id: "s-1" },
      { kind: "settled", outcome: "ok", toolset: `client:${library}` },
    ]);
    expect(place.audit()).not.toContain(SECRET);
  });
  it("is not run where a rule denies it, and the model reads why", async () => {
    expect(await driver.asks("1", "wipe", {})).toBe(false);
    expect(String(await driver.run("2", "wipe", {}, "nobody"))).toMatch(/policy_blocked[\s\S]+The rule "\*" for wipe forbids/);
    expect(String(await driver.run("3", "wipe", {}, "yes"))).toContain("policy_blocked");
    expect(ran).toEqual([]);
    expect(lines().some(({ kind, verdict, tool }) => kind === "call" && verdict === "deny" && tool === "wipe")).toBe(true);
  });
  it("is asked about where no rule speaks, and runs once after the yes", async () => {
    expect(await driver.asks("1", "deploy", { service: "web" })).toBe(true);
    expect(ran).toEqual([]);
    expect(await driver.run("1", "deploy", { service: "web" }, "yes")).toEqual({ done: "web" });
    expect(ran).toEqual(["web"]);
    expect(lines().map(({ kind, verdict, outcome }) => [kind, verdict ?? outcome])).toEqual([
      ["call", "ask"],
      ["settled", "ok"],
    ]);
    expect(lines()[1]).toMatchObject({ approved_by: `client:${library}` });
    expect(JSON.stringify(await driver.run("1", "deploy", { service: "web" }, "yes"))).toMatch(
      library === "mastra" ? /Nobody was asked about this call/ : /was used already/,
    );
    expect(ran).toEqual(["web"]);
  });
  it("is not run with other arguments than those that were approved", async () => {
    expect(await driver.asks("1", "deploy", { service: "web" })).toBe(true);
    expect(JSON.stringify(await driver.run("1", "deploy", { service: "everything" }, "yes"))).toContain("confirmation_required");
    expect(ran).toEqual([]);
  });
  it("is not run where nobody was asked, or nobody said yes", async () => {
    expect(String(await driver.run("1", "deploy", { service: "web" }, "nobody"))).toMatch(/confirmation_required[\s\S]+Nobody approved/);
    expect(await driver.asks("2", "deploy", { service: "api" })).toBe(true);
    expect(String(await driver.run("2", "deploy", { service: "api" }, "nobody"))).toContain("confirmation_required");
    expect(ran).toEqual([]);
  });
  it("is judged as what it stands for, and again when the yes comes", async () => {
    expect(await driver.asks("1", "shell", { cmd: "git push" })).toBe(true);
    zeph.blockCommands(["git"]);
    expect(String(await driver.run("1", "shell", { cmd: "git push" }, "yes"))).toContain("policy_blocked");
    expect(ran).toEqual([]);
    expect(lines()[0]).toMatchObject({ tool: "bash", client_tool: "shell", verdict: "ask" });
  });
  it("is denied where it cannot be judged: a mapping that throws, arguments that do not fit, a runtime that is closed", async () => {
    const throwing = LIBRARIES[library]!.governed(zeph, functions, {
      as: {
        lookup: () => {
          throw new Error("broken");
        },
        wipe: () => [],
        shell: () => ({ tool: "bash", args: { cmd: 7 } }),
      },
    });
    for (const [name, args] of [
      ["lookup", { key: "a" }],
      ["wipe", {}],
      ["shell", { cmd: "ls" }],
    ] as const)
      expect(String(await throwing.run("1", name, args, "yes"))).toContain("policy_blocked");
    await zeph.close();
    expect(String(await driver.run("9", "lookup", { key: "a" }, "yes"))).toContain("policy_blocked");
    expect(ran).toEqual([]);
  });
  it("is denied where it can no longer be judged when the yes comes", async () => {
    let times = 0;
    const as = {
      shell: ({ cmd }: { cmd: string }) => {
        times += 1;
        if (times > 1) throw new Error("broken");
        return { tool: "bash", args: { command: cmd } };
      },
    };
    const once = LIBRARIES[library]!.governed(zeph, functions, { as });
    expect(await once.asks("1", "shell", { cmd: "git push" })).toBe(true);
    expect(String(await once.run("1", "shell", { cmd: "git push" }, "yes"))).toContain("policy_blocked");
    expect(ran).toEqual([]);
  });
  it("is judged by the rights of a caller, where one is governed", async () => {
    const permissions = { deploy: [{ pattern: "*", action: "deny" }] } as const;
    const ada = LIBRARIES[library]!.governed(zeph.as({ id: "ada", permissions }), functions);
    expect(String(await ada.run("1", "deploy", { service: "web" }, "yes"))).toContain("policy_blocked");
    expect(lines()[0]).toMatchObject({ caller_id: "ada", verdict: "deny" });
  });
  it("cannot be governed with an option that does not exist", () =>
    expect(() => LIBRARIES[library]!.governed(zeph, functions, { sesion: "x" } as object)).toThrow(/govern has no option "sesion"/));
  it("throws what it threw, without secrets, and is settled as failed", async () => {
    const allowed = LIBRARIES[library]!.governed(zeph, functions, { as: { fails: () => ({ tool: "read", args: { path: "a.txt" } }) } });
    const thrown = await driver.asks("1", "fails", {}).then(() => allowed.run("1", "fails", {}, "nobody").catch((error: Error) => error));
    expect((thrown as Error).message).toMatch(/^no route with \[redacted:/);
    expect(lines().at(-1)).toMatchObject({ kind: "settled", outcome: "failed" });
  });
  it("is not run after the loop was stopped", async () => {
    expect(String(await driver.run("1", "lookup", { key: "a" }, "nobody", AbortSignal.abort()))).toContain("cancelled");
    expect(ran).toEqual([]);
  });
});

describe.each(Object.keys(LIBRARIES))("Zeph's tool in %s", (library) => {
  let driver: Driver;
  const file = (name: string) => join(place.work, name);
  beforeEach(() => {
    driver = LIBRARIES[library]!.own(zeph);
  });

  it("runs where a rule allows it, and answers in words where it cannot", async () => {
    expect(await driver.run("1", "read", { path: "a.txt" }, "nobody")).toContain("Hello.");
    expect(await driver.run("2", "read", { path: "/etc/passwd" }, "nobody")).toContain("policy_blocked");
    expect(await driver.run("3", "read", { pth: 7 }, "nobody")).toContain("invalid_parameters");
    expect(await driver.run("4", "read", { path: "a.txt" }, "nobody", AbortSignal.abort())).toContain("cancelled");
  });
  it("is asked about, runs once after the yes, and names who approved", async () => {
    const args = { path: "b.txt", content: "b\n" };
    expect(await driver.asks("1", "write", args)).toBe(true);
    expect(existsSync(file("b.txt"))).toBe(false);
    expect(await driver.run("1", "write", args, "yes")).toContain("b.txt");
    expect(readFileSync(file("b.txt"), "utf8")).toBe("b\n");
    expect(lines().find(({ kind }) => kind === "call")).toMatchObject({ tool: "write", approved_by: library });
    expect(await driver.run("1", "write", args, "yes")).toContain("confirmation_required");
  });
  it("is not run with other arguments than those that were approved, nor without a yes", async () => {
    expect(await driver.asks("1", "write", { path: "b.txt", content: "b\n" })).toBe(true);
    expect(await driver.run("1", "write", { path: "c.txt", content: "b\n" }, "yes")).toContain("confirmation_required");
    expect(await driver.run("2", "write", { path: "d.txt", content: "" }, "nobody")).toContain("confirmation_required");
    for (const name of ["b.txt", "c.txt", "d.txt"]) expect(existsSync(file(name))).toBe(false);
  });
});

describe("A question of LangChain", () => {
  const toolCall = { id: "1", name: "deploy", args: { service: "web" } };
  const answered = async (decisions: unknown) => {
    const { wrapToolCall } = governLangChain(zeph);
    const tool = { name: "deploy", invoke: async () => did("deploy", "deployed") };
    const handler = async (request: any) => ({ content: await request.tool.invoke(), lc_kwargs: {} });
    return wrapToolCall({ toolCall, tool, runtime: { interrupt: () => decisions } }, handler);
  };
  it("has the form of its own middleware, and says why", async () => {
    let shown: any;
    const interrupt = (value: unknown) => {
      shown = value;
      throw new Error("interrupted");
    };
    const { wrapToolCall } = governLangChain(zeph);
    await expect(wrapToolCall({ toolCall, runtime: { interrupt } }, () => {})).rejects.toThrow("interrupted");
    expect(shown.actionRequests).toEqual([{ name: "deploy", args: { service: "web" }, description: expect.stringContaining("deploy") }]);
  });
  it("takes one approval, and anything else as a no that the model reads", async () => {
    const refused = { content: expect.stringContaining("The user said no"), status: "error" };
    expect(await answered({ decisions: [{ type: "reject", message: "not on a Friday" }] })).toMatchObject({
      content: expect.stringContaining("The user said no: not on a Friday"),
      status: "error",
    });
    for (const other of [
      { decisions: [{ type: "edit", editedAction: toolCall }] },
      { decisions: [{ type: "approve" }, { type: "approve" }] },
      { decisions: [] },
      true,
      "approve",
    ])
      expect(await answered(other)).toMatchObject(refused);
    expect(ran).toEqual([]);
    expect(await answered({ decisions: [{ type: "approve" }] })).toMatchObject({ content: "deployed" });
  });
});

describe("What a governed tool hands back", () => {
  it("loses its secrets at any depth, and what cannot be searched is withheld", async () => {
    const deep = (n: number): unknown => (n === 0 ? SECRET : [deep(n - 1)]);
    const picture = { type: "media", mediaType: "image/png", data: "aGVsbG8=" };
    const outputs = [
      { list: [{ [SECRET]: SECRET }], at: new Date(0), bytes: new Uint8Array([1]), picture, many: 3n },
      deep(60),
      (async function* () {
        yield "begun";
        yield `done ${SECRET}`;
      })(),
    ];
    const as = { lookup: () => ({ tool: "read", args: { path: "a.txt" } }) };
    const driver = LIBRARIES["ai-sdk"]!.governed(zeph, { lookup: () => outputs.shift() }, { as });
    const [first, second, third] = [
      await driver.run("1", "lookup", {}, "nobody"),
      await driver.run("2", "lookup", {}, "nobody"),
      await driver.run("3", "lookup", {}, "nobody"),
    ];
    expect(first).toMatchObject({ at: "1970-01-01T00:00:00.000Z", bytes: new Uint8Array([1]), picture, many: 3n });
    expect(JSON.stringify({ ...(first as object), many: 0 })).not.toContain(SECRET);
    expect(second).toContain("withheld");
    expect(third).toMatch(/^done \[redacted:/);
  });
});
