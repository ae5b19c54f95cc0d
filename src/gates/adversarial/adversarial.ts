import * as z from "zod";
import type { ToolCall } from "../../core/call.ts";
import { type Gate, ONLY_CALLS } from "../../core/gate/gate.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import { setting } from "../../core/setting.ts";
import type { TurnContext } from "../../core/turn.ts";
import { makeOnce } from "../../text/make-once.ts";
import { plural } from "../../text/words.ts";
import { readJudgeAnswer, shortReason } from "./answer.ts";
import { policyPrompt } from "./prompt.ts";

const phase = makeOnce(() => z.enum(["planner", "executor", "verifier", "autonomous"]));
const policy = makeOnce(() => z.union([z.string().min(1), z.strictObject({ text: z.string().min(1), phases: z.array(phase()).min(1) })]));

export const adversarialConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(false), "Let a model judge each call against the policies below, after every other gate.", "on"),
      provider: setting(z.string().default(""), 'The provider that judges, by its name; "" is the one that answers.'),
      // Not for a project nobody vouched for: what it wrote would be read as instructions.
      policies: setting(
        z.array(policy()).max(256).default([]),
        "What calls must keep to, in plain words, one policy each; or `{ text, phases }` for one that counts only in these phases.",
      ),
      policy_file: setting(
        z.string().default(""),
        "A text file with one more policy on each line; empty lines and lines that begin with # are left out. Tools cannot change it.",
      ),
      fail_open: setting(
        z.boolean().default(false),
        "Let a call pass when the judging model cannot be reached or is late. An answer that is neither ALLOW nor DENY always denies.",
        "off",
      ),
      timeout_ms: setting(z.int().min(100).max(120_000).default(3000), "How long the judging model may take."),
      exempt_tools: setting(
        z
          .array(z.string().min(1))
          .default(["memory_save", "memory_search", "read_overflow", "load_skill", "invoke_skill", "scheduler", "schedule_deferred"]),
        "Tools that are not judged this way.",
      ),
    })
    .prefault({}),
);
export type AdversarialConfig = z.output<ReturnType<typeof adversarialConfig>>;

export interface AdversarialParts {
  /** One answer in words of the model that judges. It throws when that model cannot be reached. */
  ask(prompt: { readonly system: string; readonly text: string }, signal: AbortSignal): Promise<string>;
  readonly redact: (text: string) => string;
  /** The tool a name stands for: some have more than one. */
  readonly toolNamed?: (name: string) => string;
}

/** A model of its own judges each call against policies in plain words. It is asked once about a call that no other gate denied. */
export function createAdversarialGate(config: AdversarialConfig, { ask, redact, toolNamed = (name) => name }: AdversarialParts): Gate {
  const { enabled, provider, policies, fail_open, timeout_ms } = config;
  const name = "adversarial";
  if (!enabled) return { name, alsoJudges: ONLY_CALLS, judge: () => PASS, state: () => "off" };
  if (policies.length === 0) return { name, alsoJudges: ONLY_CALLS, judge: () => PASS, state: () => "on, and there is no policy" };

  const exempt = new Set(config.exempt_tools.flatMap((tool) => [tool, toolNamed(tool)]));
  const counting = (call: ToolCall, { phase }: TurnContext): string[] =>
    exempt.has(call.tool.name)
      ? []
      : policies.flatMap((one) => (typeof one === "string" ? [one] : one.phases.includes(phase) ? [one.text] : []));
  return {
    name,
    alsoJudges: ONLY_CALLS,
    question: JSON.stringify([provider, policies, config.exempt_tools]),
    judge: (call, turn) => (counting(call, turn).length === 0 ? PASS : TO_BE_ASKED),
    async consult(call, turn, signal) {
      const counted = counting(call, turn);
      if (counted.length === 0) return PASS;
      // Outside of `listen`: a call that cannot be put into words was not asked about, and `fail_open` is no answer to that.
      const prompt = policyPrompt(counted, call, turn, redact);
      const heard = await listen((until) => ask(prompt, until), timeout_ms, signal);
      if (heard.kind === "cancelled") return failed("cancelled", "it was cancelled while a model was asked about it");
      if (heard.kind === "answer") return verdictOn(heard.text, redact);
      const why = shortReason(redact(heard.why)).replace(/\.+$/, "");
      return fail_open ? { kind: "pass", rule: "fail_open", noted: noting(`allow: error, fail_open: ${why}`) } : failed(heard.kind, why);
    },
    state: () => `judge: ${provider || "the model that answers"}, ${plural(policies.length, "policy", "policies")}, fail_open ${fail_open}`,
  };
}

const TO_BE_ASKED: Verdict = Object.freeze({ kind: "pass", rule: "a model is asked" });
const noting = (adversarial_policy_decision: string) => ({ adversarial_policy_decision });

/** A strange answer is an answer: `fail_open` does not cover it. */
function verdictOn(answer: string, redact: (text: string) => string): Verdict {
  const judged = readJudgeAnswer(answer);
  if (judged.kind === "allow") return { kind: "pass", rule: "a model said ALLOW", noted: noting("allow") };
  const reason = redact(judged.reason);
  const isStrange = judged.kind === "strange";
  return {
    kind: "deny",
    rule: isStrange ? "strange answer" : "policies",
    why: isStrange
      ? `A model was asked whether this keeps to the policies, and ${reason}`
      : `A model judged that this breaks a policy: ${reason}`,
    told: "denied by policy",
    noted: noting(`deny: ${reason}`),
  };
}

const failed = (rule: "unreachable" | "late" | "cancelled", why: string): Verdict => ({
  kind: "deny",
  rule,
  why: `The policies could not be checked: ${why}. The setting is tools.adversarial_policy.`,
  told: "denied: the policy check failed",
  noted: noting(`error: ${why}`),
});

type Heard =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "unreachable" | "late"; readonly why: string }
  | { readonly kind: "cancelled" };

/** The answer, or why there is none. A model that does not listen to the signal is not waited for. A person's cancel is no lateness. */
async function listen(ask: (until: AbortSignal) => Promise<string>, ms: number, signal: AbortSignal): Promise<Heard> {
  if (signal.aborted) return { kind: "cancelled" };
  const over = new AbortController();
  let cancel = () => {};
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<Heard>((resolve) => {
    cancel = () => resolve({ kind: "cancelled" });
    signal.addEventListener("abort", cancel, { once: true });
    timer = setTimeout(() => resolve({ kind: "late", why: `the model did not answer within ${ms} ms` }), ms);
  });
  const answer = (async (): Promise<Heard> => {
    try {
      return { kind: "answer", text: String(await ask(over.signal)) };
    } catch (cause) {
      return { kind: "unreachable", why: cause instanceof Error ? cause.message : String(cause) };
    }
  })();
  try {
    return await Promise.race([answer, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    over.abort();
  }
}
