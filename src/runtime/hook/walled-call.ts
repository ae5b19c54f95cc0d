import type { BeforeAnswer, HookClient, HookedCall, HookMode, OtherInput } from "../../hook/client.ts";
import type { Translated } from "../../hook/tools.ts";
import type { Ruling } from "./rulings.ts";
import type { Standing } from "./standing/client-stand.ts";

/** A command that can be rewritten, as far as its client's own rules go. */
export interface WalledCall {
  /** As it was judged. */
  readonly command: string;
  readonly standing: Standing;
}

/** Arguments by which a client is told to leave a command running. What is to outlive its call is not for us. */
const IN_BACKGROUND = ["run_in_background", "is_background", "async", "detach"];
const BACKGROUND_MODES: readonly unknown[] = ["async", "detached", "background"];

/** The command of a call, where it is one command and its end is waited for; null where it is left to the client. */
export function commandToWall(mode: HookMode, client: HookClient, { tool, args }: HookedCall, translated: Translated): string | null {
  if (
    mode !== "walls" ||
    client.tools[tool]?.lasts ||
    client.can.rewrite === "no" ||
    translated.kind !== "calls" ||
    translated.row !== "bash"
  )
    return null;
  // A patch that is typed into the shell is the client's own to make.
  const [only, ...others] = translated.calls;
  const command = only?.args.command;
  if (others.length > 0 || typeof command !== "string" || typeof args.command !== "string") return null;
  if (IN_BACKGROUND.some((name) => args[name] === true) || BACKGROUND_MODES.includes(args.mode)) return null;
  // The client's own shell goes there, and the next call is made from there.
  return /^\s*cd(\s+[\w./~-]+)?\s*$/.test(args.command) ? null : command;
}

/** Whether the client lets a command be rewritten that its rules say this about. A denial needs no rewriting. */
export function mayRewrite({ can }: HookClient, { verdict, promptsNobody }: Standing, answersPrompts: boolean): boolean {
  if (verdict === "unsure") return false;
  // Where another input is taken for a permission, there must be one.
  return can.rewrite === "bare" || verdict !== "unruled" || promptsNobody || answersPrompts;
}

/** The client's word and ours, the stricter of the two. */
export function withClientRule(ruling: Ruling, client: HookClient, { verdict, why }: Standing): Ruling {
  if (verdict !== "deny" && verdict !== "ask") return ruling;
  if (ruling.verdict === "deny" || (ruling.verdict === "ask" && verdict === "ask")) return ruling;
  const said = `${client.name}'s own rule ${why ?? ""} ${verdict === "deny" ? "denies this" : "asks about this"}.`.replace("  ", " ");
  return { verdict, gate: "client", why: said, told: null };
}

/** What is said where the command may run: `allow` only where both allow it. */
export function walledAnswer(client: HookClient, standing: Standing, other: OtherInput, answersPrompts: boolean): BeforeAnswer {
  const isAllowed = standing.verdict === "allow" || answersPrompts || client.can.rewrite === "with allow";
  return isAllowed ? { kind: "allow", why: "zeph runs it behind its walls", ...other } : { kind: "rewrite", ...other };
}
