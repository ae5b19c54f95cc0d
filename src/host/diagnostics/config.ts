import * as z from "zod";
import { setting } from "../../core/setting.ts";
import { makeOnce } from "../../text/make-once.ts";

export const diagnosticsConfig = makeOnce(() =>
  z
    .strictObject({
      max_diagnostics: setting(
        z.int().min(1).max(1000).default(50),
        "Most findings one call of `diagnostics` returns. A call may ask for fewer; all are counted.",
        "smaller",
      ),
    })
    .prefault({}),
);
export type DiagnosticsConfig = z.output<ReturnType<typeof diagnosticsConfig>>;
