/** Why a model is offered a tool. */
export type Included =
  | "always_on"
  /** One of Zeph's own tools, where only those of others are chosen from. */
  | "own"
  | "named"
  | "short"
  | "no_embedding"
  /** The model called it before it was offered. */
  | "used"
  /** The model looked for it. */
  | "found"
  | "rank"
  /** By rank, and only because tools it prefers have succeeded. */
  | "boost"
  /** Everything it requires has succeeded. */
  | "dependency_met"
  /** A tool that was chosen requires it. */
  | "required"
  /** Nobody chooses: all are offered. */
  | "full_set";

/** What is known of a tool this turn. */
export type OfferReason =
  | { readonly offered: true; readonly because: Included }
  | { readonly offered: false; readonly because: "rank" }
  /** Not among the tools of the beginning; the model was told its name. */
  | { readonly offered: false; readonly because: "later" }
  | { readonly offered: false; readonly because: "requires"; readonly unmet: readonly string[] }
  /** It would do nothing now; `why` says what is missing. */
  | { readonly offered: false; readonly because: "no_use"; readonly why: string };

/** In words, for a log and /status. */
export function inWords(reason: OfferReason): string {
  if (reason.because === "requires") return `requires ${reason.unmet.join(", ")}`;
  return reason.because === "no_use" ? reason.why : reason.because;
}
