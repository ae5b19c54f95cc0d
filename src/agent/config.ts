import * as z from "zod";
import { toolFilterConfig } from "../catalog/config.ts";
import { setting } from "../core/setting.ts";

export const agentConfig = z
  .strictObject({
    max_tool_iterations: setting(z.int().min(1).max(100).default(10), "Most rounds of tool calls in one answer.", "smaller"),
    context_budget_tokens: setting(
      z.int().min(1000).max(100_000_000).optional(),
      "How many tokens a request may grow to. At 80 % of it a turn stops, and a new one sends less of the past. Unset: the model's `context_tokens`.",
      "smaller",
    ),
    system_prompt: setting(z.string().max(100_000).default(""), "Added to what every model is told at the beginning."),
    goal_text: setting(z.string().max(10_000).default(""), "What every conversation works towards, as if it had been given with /plan."),
    compress_provider: setting(
      z.string().default(""),
      'The provider that summarises old messages and long outputs; "" is the one that answers.',
    ),
    hallucination_detection: setting(
      z.boolean().default(false),
      "Whether paths and names in a call that neither exist nor were spoken of are warned about. Names are identifiers (`order_ledger`, `UserService`), ids and mail addresses, where a call claims that they are there: in arguments that name something, among the words of a command, in the text an edit replaces. What is searched for or written claims nothing. Only with a reasoning model; nothing is refused for it.",
    ),
    reasoning_model_detection: setting(
      z.boolean().default(false),
      "Whether every model is taken for a reasoning model here. Else a provider's `reasoning` says so.",
    ),
    tool_filter: toolFilterConfig,
    self_reflection: setting(
      z.boolean().default(true),
      "When a call failed because of how it was written, ask the model once in a turn to say what was wrong before it calls again.",
    ),
    schedule: z
      .strictObject({
        max_tasks: setting(z.int().min(0).max(10_000).default(100), "Most open scheduled tasks of one folder.", "smaller"),
        max_per_session: setting(z.int().min(0).max(10_000).default(10), "Most tasks that models may schedule in one session.", "smaller"),
        min_interval_secs: setting(
          z.int().min(60).max(31_536_000).default(300),
          "Fewest seconds between two runs of a task that a model scheduled. `zeph schedule add` is not bound by it.",
        ),
      })
      .prefault({}),
  })
  .prefault({});
