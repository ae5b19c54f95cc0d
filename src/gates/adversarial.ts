import * as z from "zod";
import { type Gate, PASS } from "../core/door.ts";
import { setting } from "../core/setting.ts";

const phase = z.enum(["planner", "executor", "verifier", "autonomous"]);
const policy = z.union([z.string().min(1), z.strictObject({ text: z.string().min(1), phases: z.array(phase).min(1) })]);

export const adversarialConfig = z
  .strictObject({
    enabled: setting(
      z.boolean().default(false),
      "Whether a model judges each call against the policies below, after every other gate.",
      "on",
    ),
    provider: setting(z.string().default(""), 'The provider that judges, by its name; "" is the one that answers.'),
    policies: setting(
      z.array(policy).max(256).default([]),
      "What calls must keep to, in plain words, one policy each; or `{ text, phases }` for one that counts only in these phases.",
      "adds",
    ),
    policy_file: setting(
      z.string().default(""),
      "A text file with one more policy on each line; empty lines and lines that begin with # are left out. Tools cannot change it.",
    ),
    fail_open: setting(
      z.boolean().default(false),
      "Whether a call passes when the judging model cannot be reached or is late. An answer that is neither ALLOW nor DENY always denies.",
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
  .prefault({});
export type AdversarialConfig = z.output<typeof adversarialConfig>;

export interface AdversarialParts {
  /** One answer in words of the model that judges. It throws when that model cannot be reached. */
  ask(prompt: { readonly system: string; readonly text: string }, signal: AbortSignal): Promise<string>;
  readonly redact: (text: string) => string;
}

export function adversarial(_config: AdversarialConfig, _parts: AdversarialParts): Gate {
  return { name: "adversarial", judge: () => PASS };
}
