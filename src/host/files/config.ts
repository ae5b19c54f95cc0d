import * as z from "zod";
import { setting } from "../../core/setting.ts";

export const fileConfig = z
  .strictObject({
    allowed_paths: setting(
      z.array(z.string().min(1)).default([]),
      "Folders the file tools may work in. Empty means the working directory. `~` is home; relative paths start at the working directory.",
      "within",
    ),
    deny_read: setting(
      z.array(z.string().min(1)).default([]),
      "Globs of files nobody may read, matched on the real path after every link is followed. They always win, and behind walls they hold for commands too.",
      "adds",
    ),
    allow_read: setting(
      z.array(z.string().min(1)).default([]),
      "When not empty, only files that match one of these globs may be read. `deny_read` still wins.",
      "narrows",
    ),
  })
  .prefault({});
export type FileConfig = z.output<typeof fileConfig>;
