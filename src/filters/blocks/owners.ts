import type { SpeakingCommand } from "../command.ts";
import type { ProgramOpening } from "./openers.ts";

/** The first and the last of the speakers that may have printed a line. */
export interface Owners {
  readonly first: number;
  readonly last: number;
  /** They are known by name; else they may have started the program that printed it. */
  readonly byName: boolean;
}

/** The speakers that may have printed what begins here, from the `earliest` on. null: none, so it is a text that only looks so. */
export function ownersOf({ as, named: script }: ProgramOpening, speakers: readonly SpeakingCommand[], earliest: number): Owners | null {
  const words = as.split(" ");
  const indexes = (test: (speaker: SpeakingCommand) => boolean): number[] =>
    speakers.flatMap((speaker, index) => (index >= earliest && test(speaker) ? [index] : []));
  const isSame = ({ words: own }: SpeakingCommand) => own[0] === words[0];
  const isExact = (speaker: SpeakingCommand) =>
    isSame(speaker) && (script === null ? speaker.words[1] === words[1] : speaker.words.slice(1).includes(script));
  const named = indexes(isExact);
  const known = named.length > 0 ? named : indexes(isSame);
  const found = known.length > 0 ? known : indexes(runsOthers);
  return found.length === 0 ? null : { first: found[0]!, last: found.at(-1)!, byName: known.length > 0 };
}

/** Programs that print what they find or compute themselves, and start no other. `git commit` runs hooks. */
const ALONE =
  /^(?:ls|ll|tree|find|fd|du|df|free|ps|top|uptime|[efz]?grep|rg|ag|ack|curl|wget|tsc|eslint|prettier|ruff|mypy|black|pylint|flake8|shellcheck|yamllint|git (?:status|diff|log|show|branch|tag|stash|remote|reflog|blame))(?: |$)/;

/** Whether a command may have started any other: a script, a builder, something unknown. */
export const runsOthers = ({ words, verbatim }: SpeakingCommand): boolean => verbatim === null && !ALONE.test(words.join(" "));
