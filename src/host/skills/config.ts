import * as z from "zod";
import { setting } from "../../core/setting.ts";
import { makeOnce } from "../../text/make-once.ts";

export const skillsConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(true), "Look for skills and offer them to the model.", "off"),
      paths: setting(
        z.array(z.string().min(1)).max(100).default([]),
        "More folders to look for skills in. Always looked at: `skills` beside your user configuration, and `.zeph/skills`, `.agents/skills` and `.claude/skills` in your home and in the workspace.",
      ),
      env: setting(
        z.record(z.string(), z.array(z.string().regex(/^[A-Za-z_]\w*$/)).max(100)).default({}),
        'Variables that only the commands of one skill see: `[skills.env] deploy = ["DEPLOY_TOKEN"]`. Their values come from the environment or keys.toml.',
      ),
    })
    .prefault({}),
);
