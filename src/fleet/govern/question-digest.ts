import { createHash } from "node:crypto";
import type { Question } from "../../core/event.ts";
import { canonicalJson } from "../../text/json.ts";

/** By what a question is known again. */
export interface QuestionDigest {
  /** The tool, its arguments and whatever else a yes would allow: an answer names it, and counts for nothing else. */
  readonly digest: string;
  /** What the person was shown besides: the reasons and the change. Where it has become something else, the question is another one. */
  readonly shown: string;
}

/** The workspace is another folder on each machine, so its path is no part of what was shown. */
export function digestQuestion(
  { tool, args, wants, whole_repository, without_walls, why, preview }: Question,
  workspace?: string,
): QuestionDigest {
  const place = (text: string) => (workspace === undefined ? text : text.replaceAll(workspace, "<workspace>"));
  return {
    digest: sha256([tool, args, wants && place(wants), whole_repository && place(whole_repository), without_walls]),
    shown: sha256([why.map(place), preview && place(preview)]),
  };
}

const sha256 = (value: unknown): string => createHash("sha256").update(canonicalJson(value)).digest("hex");
