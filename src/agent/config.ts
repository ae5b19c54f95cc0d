import * as z from "zod";
import { startToolsSetting, toolFilterConfig } from "../catalog/config.ts";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";

export const agentConfig = makeOnce(() =>
  z
    .strictObject({
      max_tool_iterations: setting(z.int().min(1).max(100).default(100), "Most rounds of tool calls in one answer.", "smaller"),
      context_budget_tokens: setting(
        z.int().min(1000).max(100_000_000).optional(),
        "Most tokens of one request. A turn stops at 80 % of it, and a new turn sends less of the past. Unset: the model's `context_tokens`.",
        "smaller",
      ),
      system_prompt: setting(z.string().max(100_000).default(""), "Added to what every model is told at the beginning."),
      instructions: setting(
        z.boolean().default(true),
        "Tell the model what AGENTS.md (else CLAUDE.md) says, in the folders from the repository's top to the workspace and in those below it when a file there is read, and your own beside your configuration. They grant nothing, and until `zeph trust` they count as a stranger's text.",
        "off",
      ),
      goal_text: setting(z.string().max(10_000).default(""), "What every conversation works towards, as if it had been given with /plan."),
      compress_provider: setting(
        z.string().default(""),
        'The provider that summarises old messages and long outputs; "" is the one that answers.',
      ),
      hallucination_detection: setting(
        z.boolean().default(false),
        "Warn about paths and names in a call that do not exist and that nobody mentioned. Names are identifiers (`order_ledger`, `UserService`), ids and mail addresses, where a call claims that they are there: in arguments that name something, among the words of a command, in the text an edit replaces. Text that is searched for or written does not count. It works only with a reasoning model, and refuses nothing.",
      ),
      reasoning_model_detection: setting(
        z.boolean().default(false),
        "Treat every model as a reasoning model here. Otherwise a provider's `reasoning` decides.",
      ),
      start_tools: startToolsSetting(),
      tool_filter: toolFilterConfig(),
      self_reflection: setting(
        z.boolean().default(true),
        "When a call failed because of how it was written, ask the model once in a turn to say what was wrong before it calls again.",
      ),
      schedule: z
        .strictObject({
          max_tasks: setting(z.int().min(0).max(10_000).default(100), "Most open scheduled tasks of one folder.", "smaller"),
          max_per_session: setting(
            z.int().min(0).max(10_000).default(10),
            "Most tasks that models may schedule in one session.",
            "smaller",
          ),
          min_interval_secs: setting(
            z.int().min(60).max(31_536_000).default(300),
            "Fewest seconds between two runs of a task that a model scheduled. `zeph schedule add` is not bound by it.",
          ),
        })
        .prefault({}),
    })
    .prefault({}),
);
