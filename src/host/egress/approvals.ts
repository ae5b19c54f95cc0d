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

/** What a person is asked: one name, or all names that the person's own tools load from. */
export interface EgressQuestion {
  readonly host: string;
  readonly port: number;
  /** All registries, where the name is one of them; empty for any other name. */
  readonly registries: readonly string[];
  /** The command that wants it. Several where the connection does not say which: one of them wants it. */
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
  /** Names that were opened for a session, each behind its caller (`callerOf`). Default: its own, which ends with it. */
  readonly session?: Set<string> | undefined;
  /** Why nobody can be asked, where that is known beforehand; so no tool has to be asked for a question that is never put. */
  readonly nobody?: ((commands: readonly EgressCommand[]) => string | null) | undefined;
}

/** How a wish was decided. `unanswered`: a person could have said yes. */
export type Approval = JudgedTarget & { readonly unanswered?: true };

/** Whose connection it may be. */
export interface EgressClaim {
  readonly commands: readonly EgressCommand[];
  /** Commands that have ended, of which it may be one that came late: a yes that one of `commands` was given is not for those. */
  readonly ended: readonly EgressCommand[];
}

export interface Approvals {
  decide(wanted: WantedTarget, claim: EgressClaim): Promise<Approval>;
  /** Whether a command could reach anything at all. */
  isAnyOpen(): boolean;
  /** A command is over: what was answered for it alone is over too. */
  ended(commands: readonly EgressCommand[]): void;
}

/** Names that are open for longer than the lists say. */
const MOST_OPEN = 1000;

/** What was answered for a command alone, and ends with it. */
type Passing = Map<EgressCommand, Exclude<EgressAnswer, "session" | "always">>;

/**
 * Decides which names commands may reach. Equal questions wait for one answer. "Once" opens a name for the commands that the question named, until
 * they end, and for no other. A connection that may belong to several commands needs a yes for each of them.
 */
export function createApprovals({ rules, ask, registries, nobody, session = new Set<string>() }: ApprovalParts): Approvals {
  const passing = new Map<string, Passing>();
  /** Open questions; none of these promises rejects. */
  const asking = new Map<string, Promise<EgressAnswer>>();

  const subjectOf = async (host: string) => {
    const names = await registries();
    return names.includes(host) ? { key: REGISTRIES, names } : { key: host, names: [] };
  };
  const put = (key: string, question: EgressQuestion): Promise<EgressAnswer> => {
    const answer = ask!(question)
      .catch((error: unknown): EgressAnswer => ({ why: `nobody could be asked: ${(error as Error).message}` }))
      .then((said) => {
        asking.delete(key);
        if (said === "session" || said === "always") {
          if (session.size < MOST_OPEN) session.add(key);
        } else {
          const given: Passing = passing.get(key) ?? new Map();
          // One that was answered before was named because the connection did not say that it is not its own.
          for (const command of question.commands) if (!given.has(command)) given.set(command, said);
          passing.set(key, given);
        }
        return said;
      });
    asking.set(key, answer);
    return answer;
  };
  /** Asks only about commands for which nothing was answered, and one question about a name at a time. */
  const answerFor = async (key: string, question: EgressQuestion, counts: "any answer" | "a no"): Promise<EgressAnswer> => {
    for (;;) {
      if (counts === "any answer" && session.has(key)) return "session";
      const known = question.commands.map((command) => passing.get(key)?.get(command));
      const given = known.map((answer) => (counts === "a no" && answer === "once" ? undefined : answer));
      const refusal = given.find((answer) => answer !== undefined && answer !== "once");
      if (refusal !== undefined) return refusal;
      const commands = question.commands.filter((_, n) => given[n] === undefined);
      if (commands.length === 0) return "once";
      const open = asking.get(key);
      const said = await (open ?? put(key, { ...question, commands }));
      if (!open && (said === "session" || said === "always" || counts === "a no")) return said;
    }
  };

  return {
    async decide(wanted, { commands, ended }) {
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
      const counts = ended.map(callerOf).every(isOpen) ? "any answer" : "a no";
      const isOpenTo = (caller: string) => counts === "any answer" && isOpen(caller);
      if (callers.size > 0 && [...callers.keys()].every(isOpenTo)) return open;
      if (!ask) return { host, port, verdict: "refused", why: `${host} is not among the names that were agreed to` };
      if (commands.length === 0) return { host, port, verdict: "refused", why: `${closed(host)}: ${NOBODYS}` };
      let answer: EgressAnswer = "session";
      for (const [caller, mine] of callers) {
        if (isOpenTo(caller)) continue;
        answer = await answerFor(`${caller}${key}`, { host, port, registries: names, commands: mine }, counts);
        if (answer === "no" || typeof answer === "object") break;
      }
      // The lists may have changed while somebody thought.
      const again = judgeTarget(wanted, rules());
      if (again.verdict === "refused") return again;
      if (answer === "once" || answer === "session" || answer === "always") return open;
      return answer === "no" ? { host, port, verdict: "refused", why: `${closed(host)}: the user said no` } : unanswered(answer.why);
    },
    isAnyOpen: () =>
      rules().allow.length > 0 || session.size > 0 || [...passing.values()].some((given) => [...given.values()].includes("once")),
    ended(running) {
      for (const [key, given] of passing) {
        for (const command of given.keys()) if (!running.includes(command)) given.delete(command);
        if (given.size === 0) passing.delete(key);
      }
    },
  };
}

/** The beginning of the key of a caller's answers; empty for whoever opened the runtime. No name holds a blank. */
export const callerOf = ({ ctx: { turn } }: EgressCommand): string =>
  turn.callerId === undefined || turn.front ? "" : `${turn.callerId} `;

const NOBODYS =
  "this connection is that of no running command. The credential in the proxy variables is for the command that was started with it";

const closed = (host: string) => `${host} is not open to commands (tools.sandbox.allow_domains)`;
