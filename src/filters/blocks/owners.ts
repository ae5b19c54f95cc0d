import type { SpeakingCommand } from "../command.ts";
import type { ProgramOpening } from "./openers.ts";

/** The first and the last of the speakers that may have printed a line. */
export interface Owners {
  readonly first: number;
  readonly last: number;
}

/** The speakers of that name, from the `earliest` on. null: none, so it is a text that only looks so, or what another command started. */
export function ownersOf({ as, named: script }: ProgramOpening, speakers: readonly SpeakingCommand[], earliest: number): Owners | null {
  const words = as.split(" ");
  const indexes = (test: (speaker: SpeakingCommand) => boolean): number[] =>
    speakers.flatMap((speaker, index) => (index >= earliest && test(speaker) ? [index] : []));
  const isSame = ({ words: own }: SpeakingCommand) => own[0] === words[0];
  const isExact = (speaker: SpeakingCommand) =>
    isSame(speaker) && (script === null ? speaker.words[1] === words[1] : speaker.words.slice(1).includes(script));
  const named = indexes(isExact);
  const found = named.length > 0 ? named : indexes(isSame);
  return found.length === 0 ? null : { first: found[0]!, last: found.at(-1)! };
}

/** Programs that print what they find or compute themselves, and start no other. `git commit` runs hooks. */
const ALONE =
  /^(?:ls|ll|tree|find|fd|du|df|free|ps|top|uptime|[efz]?grep|rg|ag|ack|curl|wget|tsc|eslint|prettier|ruff|mypy|black|pylint|flake8|shellcheck|yamllint|git (?:status|diff|log|show|branch|tag|stash|remote|reflog|blame))(?: |$)/;

/** Whether a command may have started any other: a script, a builder, something unknown. */
export const runsOthers = ({ words, verbatim }: SpeakingCommand): boolean => verbatim === null && !ALONE.test(words.join(" "));
