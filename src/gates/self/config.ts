import * as z from "zod";
import { setting } from "../../core/setting.ts";
import { makeOnce } from "../../text/make-once.ts";

/** What concerns other agents that Zeph is the hook of. */
export const clientsConfig = makeOnce(() =>
  z
    .strictObject({
      answer_prompts: setting(
        z.boolean().default(false),
        "About agents whose commands run behind Zeph's walls (`zeph hook install --mode walls`). `true`: a command that no rule speaks of runs there without a question of the agent's. `false`: the agent asks as it does without Zeph.",
        "off",
      ),
      own_package: setting(
        z.enum(["open", "closed"]).default("closed"),
        "Whether agents that Zeph governs may change the files of Zeph's own package, which judge them. `open` is for those who work on Zeph with such an agent.",
        ["open", "closed"],
      ),
    })
    .prefault({}),
);
