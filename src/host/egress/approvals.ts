import type { ApprovedCall } from "../../core/door.ts";
import type { CallContext } from "../../core/tool.ts";
import { groupBy } from "../../text/group-by.ts";
import { type DomainRules, type JudgedTarget, judgeTarget, REGISTRIES, type WantedTarget } from "./judge.ts";

/** A command that runs, or a program that is served: who wants to reach something. */
export interface EgressCommand {
  readonly command: string;
  readonly permit: ApprovedCall;
  readonly ctx: CallContext;
  /** Its time stands still until what is returned is called. */
  readonly hold?: () => () => void;
}

/** What a person is asked: one name, or all names their own tools load from. */
export interface EgressQuestion {
  readonly host: string;
  readonly port: number;
  /** All registries, where the name is one of them; empty for any other name. */
  readonly registries: readonly string[];
  /** The commands that run: one of them wants it. */
  readonly commands: readonly EgressCommand[];
}

/** `why`: nobody was asked, or nobody answered, in words for whoever reads the result. */
export type EgressAnswer = "once" | "session" | "always" | "no" | { readonly why: string };

export type AskEgress = (question: EgressQuestion) => Promise<EgressAnswer>;

export interface ApprovalParts {
  /** The lists as they are in force now. */
  readonly rules: () => DomainRules;
  /** Null where names beyond the list are refused and nobody is asked. */
  readonly ask: AskEgress | null;
  readonly registries: () => Promise<readonly string[]>;
  /** Why nobody can be asked, where that is known beforehand; so no tool has to be asked for a question that is never put. */
  readonly nobody?: ((commands: readonly EgressCommand[]) => string | null) | undefined;
}

/** How a wish was decided. `unanswered`: a person could have said yes. */
export type Approval = JudgedTarget & { readonly unanswered?: true };

export interface Approvals {
  decide(wanted: WantedTarget, commands: readonly EgressCommand[]): Promise<Approval>;
  /** Whether a command could reach anything at all. */
  isAnyOpen(): boolean;
  /** A command is over: what was answered for it alone is over too. */
  ended(commands: readonly EgressCommand[]): void;
}

/** Names that are open for longer than the lists say. */
const MOST_OPEN = 1000;

interface Passing {
  readonly answer: Exclude<EgressAnswer, "session" | "always">;
  readonly commands: ReadonlySet<EgressCommand>;
}

/**
 * Decides which names commands may reach. Equal questions wait for one answer; an answer for once counts until the commands it was given for have
 * ended. Who of several wants a name cannot be told from a connection, so where commands of several callers run, each of them needs a yes.
 */
export function createApprovals({ rules, ask, registries, nobody }: ApprovalParts): Approvals {
  const session = new Set<string>();
  const passing = new Map<string, Passing>();
  const asking = new Map<string, Promise<EgressAnswer>>();

  const subjectOf = async (host: string) => {
    const names = await registries();
    return names.includes(host) ? { key: REGISTRIES, names } : { key: host, names: [] };
  };
  const put = (key: string, question: EgressQuestion): Promise<EgressAnswer> => {
    const open = asking.get(key);
    if (open) return open;
    const answer = ask!(question)
      .catch((error: unknown): EgressAnswer => ({ why: `nobody could be asked: ${(error as Error).message}` }))
      .then((said) => {
        asking.delete(key);
        if (said === "session" || said === "always") {
          if (session.size < MOST_OPEN) session.add(key);
        } else passing.set(key, { answer: said, commands: new Set(question.commands) });
        return said;
      });
    asking.set(key, answer);
    return answer;
  };
  const isCovered = ({ commands }: Passing, now: readonly EgressCommand[]) => now.some((command) => commands.has(command));

  return {
    async decide(wanted, commands) {
      const judged = judgeTarget(wanted, rules());
      if (judged.verdict !== "unknown") return judged;
      const { host, port } = judged;
      const unanswered = (why: string): Approval => ({ host, port, verdict: "refused", why: `${closed(host)}: ${why}`, unanswered: true });
      const nobodyThere = nobody?.(commands) ?? null;
      if (ask && nobodyThere !== null && !rules().allow.includes(REGISTRIES)) return unanswered(nobodyThere);
      const { key, names } = await subjectOf(host);
      const open: Approval = { host, port, verdict: "open" };
      if (key === REGISTRIES && rules().allow.includes(REGISTRIES)) return open;
      const callers = groupBy(commands, callerOf);
      const isOpen = (caller: string) => session.has(`${caller}${key}`) || session.has(`${caller}${host}`);
      if (callers.size === 0 ? isOpen("") : [...callers.keys()].every(isOpen)) return open;
      if (!ask) return { host, port, verdict: "refused", why: `${host} is not among the names that were agreed to` };
      if (commands.length === 0)
        return { host, port, verdict: "refused", why: `${host} is not open, and no command is running that could ask` };
      let answer: EgressAnswer = "session";
      for (const [caller, mine] of callers) {
        if (isOpen(caller)) continue;
        const known = passing.get(`${caller}${key}`);
        const question = { host, port, registries: names, commands: mine };
        answer = known && isCovered(known, mine) ? known.answer : await put(`${caller}${key}`, question);
        if (answer === "no" || typeof answer === "object") break;
      }
      // The lists may have changed while somebody thought.
      const again = judgeTarget(wanted, rules());
      if (again.verdict === "refused") return again;
      if (answer === "once" || answer === "session" || answer === "always") return open;
      return answer === "no" ? { host, port, verdict: "refused", why: `${closed(host)}: the user said no` } : unanswered(answer.why);
    },
    isAnyOpen: () => rules().allow.length > 0 || session.size > 0 || [...passing.values()].some(({ answer }) => answer === "once"),
    ended(running) {
      for (const [key, entry] of passing) if (!isCovered(entry, running)) passing.delete(key);
    },
  };
}

/** The beginning of the key of a caller's answers; empty for whoever opened the runtime. No name holds a blank. */
const callerOf = ({ ctx: { turn } }: EgressCommand): string => (turn.callerId === undefined || turn.front ? "" : `${turn.callerId} `);

const closed = (host: string) => `${host} is not open to commands (tools.sandbox.allow_domains)`;
