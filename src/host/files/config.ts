import * as z from "zod";
import { setting } from "../../core/setting.ts";
import { makeOnce } from "../../text/make-once.ts";

export const fileConfig = makeOnce(() =>
  z
    .strictObject({
      allowed_paths: setting(
        z.array(z.string().min(1)).default([]),
        "Folders the file tools may work in. Empty means the working directory. `~` is home; relative paths start at the working directory.",
        "within",
      ),
      deny_read: setting(
        z.array(z.string().min(1)).default([]),
        "Globs of files that no tool and no command may read. They are compared with the real path, after every link is followed, and always win.",
        "adds",
      ),
      allow_read: setting(
        z.array(z.string().min(1)).default([]),
        "When not empty, the file tools read only files that match one of these globs. `deny_read` still wins. Commands are not bound by it, as they are by `deny_read`: what they may read is what the walls show (`tools.sandbox.allow_read`), and `zeph policy check bash` lists it.",
        "narrows",
      ),
    })
    .prefault({}),
);
export type FileConfig = z.output<ReturnType<typeof fileConfig>>;
