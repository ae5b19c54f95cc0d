import type { Zeph } from "../runtime.ts";
import type { CallerView } from "./caller-view.ts";
import type { NamedCaller } from "./opened-runtimes.ts";

/** A runtime as an agent over a caller's view hands it on: what reaches beyond the caller throws a TypeError. */
export function createCallerZeph(zeph: Zeph, view: CallerView, caller: NamedCaller): Zeph {
  const { session, warnings, redact, onToolsChanged } = zeph;
  const refuse = (name: string) => (): never => {
    throw new TypeError(`${name} is for whoever opened the runtime. This is the runtime as the caller "${view.id}" has it.`);
  };
  const own: Omit<Zeph, "governance" | "mcp"> = {
    ...view,
    session,
    warnings,
    redact,
    onToolsChanged,
    reach: () => zeph.reach(caller),
    decide: refuse("decide"),
    settle: refuse("settle"),
    as: refuse("as"),
    addToolset: refuse("addToolset"),
    blockCommands: refuse("blockCommands"),
    stats: refuse("stats"),
    clear: refuse("clear"),
    close: refuse("close"),
    [Symbol.asyncDispose]: refuse("close"),
  };
  // Not listed among its fields, so that whoever copies those can.
  return Object.defineProperties(own, { governance: { get: refuse("governance") }, mcp: { get: refuse("mcp") } }) as Zeph;
}
