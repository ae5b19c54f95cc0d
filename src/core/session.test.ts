import { expect, it } from "vitest";
import { type Caller, createSession } from "./session.ts";

/** Which of these see a mark that the first of them has set. */
const sharing = (first: Caller, ...others: readonly Caller[]): boolean[] => {
  const session = createSession();
  session.current(first).seen.untrusted = true;
  return others.map((caller) => session.current(caller).seen.untrusted);
};
const model: Caller = { phase: "executor" };

it("a model that is run by somebody else's loop is marked by what it has read, call after call", () => {
  expect(sharing(model, model, { ...model, callerId: "a" }, { ...model, conversationId: "c" }, {}, { phase: "verifier" })).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
  const a: Caller = { ...model, callerId: "a" };
  expect(sharing(a, a, model, { ...model, callerId: "b" }, { ...model, conversationId: "a" })).toEqual([true, false, false, false]);
});

it("whatever a caller is called, it is no conversation, no turn and no session", async () => {
  for (const name of ["a", "session", "caller a", "conversation a"]) {
    expect(sharing({ ...model, callerId: name }, { ...model, conversationId: name }, model)).toEqual([false, false]);
    expect(sharing({ ...model, conversationId: name }, { ...model, callerId: name }, model)).toEqual([false, false]);
  }
  const session = createSession();
  await session.turn(async () => {
    const { seen, turnId } = session.current(model);
    seen.untrusted = true;
    expect(session.current(model).seen.untrusted).toBe(true);
    for (const key of [turnId, `turn ${turnId}`]) expect(session.current({ ...model, conversationId: key }).seen.untrusted).toBe(false);
  });
  expect(session.current(model).seen.untrusted).toBe(false);
});

it("a person's own call stands alone", () => expect(sharing({}, {}, model)).toEqual([false, false]));

it("only what a conversation gets is told, once for each mark", () => {
  const told: string[] = [];
  const session = createSession((conversation) => told.push(conversation));
  for (const caller of [model, { ...model, callerId: "a" }, { ...model, conversationId: "c" }, { ...model, conversationId: "c" }])
    session.current(caller).seen.untrusted = true;
  expect(told).toEqual(["c"]);
});

it("a turn that is handed on is one turn, of which others know nothing unless they are carried", async () => {
  const session = createSession();
  const ended: string[] = [];
  session.onTurnEnd((turnId) => ended.push(turnId));
  const turnId = await session.handedTurn(async ({ current, carry }) => {
    const mine = current(model).turnId;
    expect(current(model).turnId).toBe(mine);
    expect(session.current(model).turnId).not.toBe(mine);
    const inside = async () => session.current(model).turnId;
    expect(await carry(inside)).toBe(mine);
    expect(await session.carry(mine, inside)).toBe(mine);
    expect(await session.carry("another", inside)).not.toBe("another");
    return mine;
  });
  expect(ended).toEqual([turnId]);
  expect(session.carry(turnId, () => session.current(model).turnId)).not.toBe(turnId);
});

it("a turn that is handed on inside of a turn is that turn", async () => {
  const session = createSession();
  await session.turn(async () => {
    const { turnId } = session.current(model);
    expect(await session.handedTurn(async ({ current }) => current(model).turnId)).toBe(turnId);
  });
});
