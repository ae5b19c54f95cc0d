import { ToolError } from "../../core/error.ts";
import { openToRead } from "./files.ts";
import type { PathRules } from "./paths.ts";
import { actOnPath } from "./pin.ts";
import { readWithin } from "./reading.ts";

/** Reads the bytes of a file within the rules for files. Throws a ToolError for what may not be read, and for more than `most` bytes. */
export type ReadBytes = (path: string, most: number) => Promise<Buffer>;

export const createByteReader =
  (rules: PathRules): ReadBytes =>
  (path, most) =>
    actOnPath(rules, { kind: "path", access: "read", path }, async (canonical) => {
      const file = await openToRead(rules, canonical);
      const bytes = readWithin(file, most);
      if (bytes === null) throw new ToolError("invalid_parameters", `${path} has more than ${most} bytes.`);
      return bytes;
    });
