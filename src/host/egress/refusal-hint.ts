import type { EgressRefusal, EgressReport } from "./egress.ts";

const MOST_NAMED = 5;

/** What a failed command is told about names it could not reach. Known, not guessed. */
export function egressHint({ refusals }: EgressReport): string | undefined {
  const [first, ...others] = refusals;
  if (!first) return undefined;
  const more = [...new Set(others.map(({ host }) => host))].filter((host) => host !== first.host);
  const also =
    more.length === 0
      ? ""
      : ` So it is with ${more.slice(0, MOST_NAMED).join(", ")}${more.length > MOST_NAMED ? ` and ${more.length - MOST_NAMED} more` : ""}.`;
  return `${sentence(first)}${also}`;
}

const sentence = ({ host, port, why, how }: EgressRefusal): string =>
  how === "closed"
    ? `The network is closed to ${host}:${port} behind the walls: ${why}.`
    : `From behind the walls ${host}:${port} was not reached: ${why}.`;

/** Names that a person could have opened, had one been there: with the port each. */
export const unansweredNames = ({ refusals }: EgressReport): readonly string[] => [
  ...new Set(refusals.flatMap(({ unanswered, host, port }) => (unanswered ? [`${host}:${port}`] : []))),
];
