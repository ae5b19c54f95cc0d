import type { ApprovedCall } from "../../core/door.ts";
import type { CallContext } from "../../core/tool.ts";
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
  readonly nobody?: string | undefined;
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

/** Who may reach what. Equal questions wait for one answer; an answer for once counts until the commands it was given for have ended. */
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
      if (ask && nobody !== undefined && !rules().allow.includes(REGISTRIES)) return unanswered(nobody);
      const { key, names } = await subjectOf(host);
      const open: Approval = { host, port, verdict: "open" };
      if (key === REGISTRIES && rules().allow.includes(REGISTRIES)) return open;
      if (session.has(key) || session.has(host)) return open;
      if (!ask) return { host, port, verdict: "refused", why: `${host} is not among the names that were agreed to` };
      if (commands.length === 0)
        return { host, port, verdict: "refused", why: `${host} is not open, and no command is running that could ask` };
      const known = passing.get(key);
      const answer = known && isCovered(known, commands) ? known.answer : await put(key, { host, port, registries: names, commands });
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

const closed = (host: string) => `${host} is not open to commands (tools.sandbox.allow_domains)`;
