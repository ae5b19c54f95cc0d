import { describe, expect, it } from "vitest";
import { standIn } from "../../../test/egress/stand-in.ts";
import { createApprovals, type EgressAnswer, type EgressCommand } from "./approvals.ts";

const command = (text: string, callerId?: string) => ({ command: text, ctx: { turn: { callerId } } }) as unknown as EgressCommand;

/** Approvals, and how often and for what somebody was asked. */
function place(
  answer: () => EgressAnswer | Promise<EgressAnswer>,
  more: { allow?: string[]; deny?: string[]; registries?: string[] } = {},
) {
  const asked: string[] = [];
  const lists = { allow: more.allow ?? [], deny: more.deny ?? [] };
  const approvals = createApprovals({
    rules: () => lists,
    registries: async () => more.registries ?? [],
    ask: async ({ host, registries }) => {
      asked.push(registries.length > 0 ? `@${registries.join(",")}` : host);
      return answer();
    },
  });
  const wants = async (host: string, ...commands: EgressCommand[]) =>
    (await approvals.decide({ host, port: 443 }, { commands, ended: [] })).verdict;
  return { asked, approvals, wants, lists };
}

describe("An answer about a name", () => {
  it("for once counts for the command it was given for and for no other", async () => {
    const { asked, approvals, wants } = place(() => "once");
    const [first, second] = [command("a"), command("b")];
    expect(await wants("a.example", first)).toBe("open");
    expect(await wants("a.example", first)).toBe("open");
    expect(asked).toEqual(["a.example"]);
    expect(approvals.isAnyOpen()).toBe(true);
    approvals.ended([]);
    expect(approvals.isAnyOpen()).toBe(false);
    await wants("a.example", second);
    expect(asked).toEqual(["a.example", "a.example"]);
  });

  it("for once opens nothing for another command that runs beside it, also while that one asks", async () => {
    const { asked, approvals, wants } = place(() => "once");
    const [first, second] = [command("a"), command("b")];
    await wants("a.example", first);
    await wants("a.example", second);
    expect(asked).toEqual(["a.example", "a.example"]);
    approvals.ended([second]);
    await wants("a.example", second);
    expect(asked.length).toBe(2);
    await wants("a.example", first);
    expect(asked.length).toBe(3);
  });

  it("that one caller's command was given counts for no late connection of another caller's", async () => {
    const { asked, approvals, wants } = place(() => "session");
    const [mine, yours] = [command("a", "me"), command("b", "you")];
    await wants("a.example", mine);
    const late = async (ended: EgressCommand) => approvals.decide({ host: "a.example", port: 443 }, { commands: [mine], ended: [ended] });
    expect((await late(mine)).verdict).toBe("open");
    expect(asked.length).toBe(1);
    await late(yours);
    expect(asked.length).toBe(2);
  });

  it("that two commands wait for is asked about each of them, one after the other", async () => {
    const answers: ((answer: EgressAnswer) => void)[] = [];
    const { asked, wants } = place(() => new Promise<EgressAnswer>((resolve) => answers.push(resolve)));
    const both = [wants("a.example", command("a")), wants("a.example", command("b"))];
    await expect.poll(() => answers.length).toBe(1);
    answers[0]!("once");
    await expect.poll(() => answers.length).toBe(2);
    answers[1]!("no");
    expect(await Promise.all(both)).toEqual(["open", "refused"]);
    expect(asked.length).toBe(2);
  });

  it("serves a connection that may belong to several commands only where each of them has a yes", async () => {
    const given: EgressAnswer[] = ["once", "no"];
    const { asked, wants } = place(() => given.shift()!);
    const [first, second] = [command("a"), command("b")];
    expect(await wants("a.example", first)).toBe("open");
    expect(await wants("a.example", first, second)).toBe("refused");
    expect(asked.length).toBe(2);
    expect(await wants("a.example", first)).toBe("open");
  });

  it("for the session counts for the commands after it", async () => {
    const { asked, approvals, wants } = place(() => "session");
    await wants("a.example", command("a"));
    approvals.ended([]);
    expect(await wants("a.example", command("b"))).toBe("open");
    expect(asked.length).toBe(1);
    expect(approvals.isAnyOpen()).toBe(true);
  });

  it("that one caller got serves no other, also while commands of both run", async () => {
    const { asked, wants } = place(() => "session");
    const [ada, bob] = [command("a", "ada"), command("b", "bob")];
    expect([await wants("a.example", ada), await wants("a.example", ada)]).toEqual(["open", "open"]);
    expect(asked.length).toBe(1);
    expect(await wants("a.example", ada, bob)).toBe("open");
    expect(asked.length).toBe(2);
    await wants("a.example", command("c"));
    expect(asked.length).toBe(3);
  });

  it("that is no counts for the command, and the next one may ask again", async () => {
    const { asked, approvals, wants } = place(() => "no");
    const first = command("a");
    expect([await wants("a.example", first), await wants("a.example", first)]).toEqual(["refused", "refused"]);
    expect(asked.length).toBe(1);
    approvals.ended([]);
    await wants("a.example", command("b"));
    expect(asked.length).toBe(2);
    expect(approvals.isAnyOpen()).toBe(false);
  });

  it("is waited for by all who want the same name, and by nobody else", async () => {
    let answer: (one: EgressAnswer) => void = () => {};
    const { asked, wants } = place(() => new Promise<EgressAnswer>((resolve) => (answer = resolve)));
    const first = command("a");
    const all = Array.from({ length: 50 }, () => wants("a.example", first));
    await expect.poll(() => asked).toEqual(["a.example"]);
    answer("once");
    expect(new Set(await Promise.all(all))).toEqual(new Set(["open"]));
  });

  it("about one registry is an answer about all of them", async () => {
    const { asked, wants } = place(() => "session", { registries: ["r.example", "s.example"] });
    expect(await wants("r.example", command("a"))).toBe("open");
    expect(await wants("s.example", command("b"))).toBe("open");
    expect(asked).toEqual(["@r.example,s.example"]);
    await wants("t.example", command("b"));
    expect(asked).toEqual(["@r.example,s.example", "t.example"]);
  });

  it("opens nothing that was denied while somebody thought", async () => {
    const { wants, lists } = place(() => {
      lists.deny = ["a.example"];
      return "always";
    });
    expect(await wants("a.example", command("a"))).toBe("refused");
  });

  it("that fails is a refusal which somebody could have answered", async () => {
    const { approvals } = place(() => Promise.reject(new Error("no terminal")));
    expect(await approvals.decide({ host: "a.example", port: 443 }, { commands: [command("a")], ended: [] })).toMatchObject({
      verdict: "refused",
      unanswered: true,
      why: expect.stringContaining("no terminal"),
    });
  });

  it("that nobody can give is a refusal at once, and no tool is asked what a registry is", async () => {
    let looked = 0;
    const registries = async () => {
      looked++;
      return [];
    };
    const parts = {
      rules: () => ({ allow: [], deny: [] }),
      registries,
      ask: async () => "always" as const,
      nobody: () => "nobody is there",
    };
    expect(await createApprovals(parts).decide({ host: "a.example", port: 443 }, { commands: [command("a")], ended: [] })).toMatchObject({
      verdict: "refused",
      unanswered: true,
      why: expect.stringContaining("nobody is there"),
    });
    expect(looked).toBe(0);
  });

  it("is not asked for when no command runs", async () => {
    const { asked, wants } = place(() => "always");
    expect(await wants("a.example")).toBe("refused");
    expect(asked).toEqual([]);
  });
});

describe("The report of a command", () => {
  it("names what could not be reached, and its connections are recorded by then", async () => {
    const here = await standIn({ ask: async () => ({ why: "there is nobody to ask" }) });
    const run = here.egress.begin(here.command());
    const [open, closed] = [await here.client(), await here.client()];
    open.say("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
    await open.hears("200");
    closed.say("CONNECT b.example:443 HTTP/1.1\r\n\r\n");
    await closed.rest();
    expect(await run.end()).toEqual({
      refusals: [{ host: "b.example", port: 443, why: expect.stringContaining("there is nobody to ask"), how: "closed", unanswered: true }],
    });
    expect(here.lines.map(({ host, verdict }) => [host, verdict])).toEqual([
      ["b.example", "refused"],
      ["a.example", "ok"],
    ]);
    await open.rest();
  });

  it("does not end the connections of another command that still runs", async () => {
    const here = await standIn();
    const [first] = [here.egress.begin(here.command("a")), here.egress.begin(here.command("b"))];
    const talk = await here.client();
    talk.say("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
    await talk.hears("200");
    await first.end();
    talk.say("ping");
    await talk.hears("ping");
  });

  it("does not wait for a person once the command has ended", async () => {
    const here = await standIn({ ask: () => new Promise(() => {}), limits: { settleMs: 20 } });
    const run = here.egress.begin(here.command());
    const talk = await here.client();
    talk.say("CONNECT b.example:443 HTTP/1.1\r\n\r\n");
    await expect.poll(() => here.asked.length).toBe(1);
    expect(await run.end()).toMatchObject({ refusals: [{ host: "b.example" }] });
  });
});
