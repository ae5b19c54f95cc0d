import type { Facts } from "../../core/ports/facts.ts";
import { statEntry } from "../../files/stat.ts";
import type { EditorBuffers } from "./editor-buffers.ts";
import { openToRead } from "./files.ts";
import type { PathRules } from "./paths.ts";
import { actOnPath } from "./pin.ts";
import { readForDiff } from "./reading.ts";

/** Looks into a file before a person is asked about a change of it. What may not be read, or is not what an editor shows, is not told. */
export const createPeek =
  (rules: PathRules, lent: EditorBuffers | undefined): NonNullable<Facts["peek"]> =>
  (path) =>
    actOnPath(rules, { kind: "path", access: "read", path }, async (canonical) => {
      if (statEntry(canonical) === null) return null;
      const text = readForDiff(await openToRead(rules, canonical));
      const shown = await lent?.read(canonical);
      return shown === undefined || shown === text ? text : undefined;
    }).catch(() => undefined);
