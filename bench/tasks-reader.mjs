// A reader without a mind: it answers a question from the lines it is shown, by a rule that is written down with the question.

/**
 * A rule: `from` finds a line, `take` reads the answer from it or from one of the `within` lines below it. Without `from` every line counts.
 * `pick: "last"` takes the last answer, `"count"` how many lines `take` matches, `"distinct"` how many different answers there are, `"verdict"`
 * whether the run failed.
 */
export function answer(text, { from, within = 0, take, pick = "first" }) {
  const lines = text.split("\n");
  if (pick === "verdict") return verdict(lines);
  if (pick === "count") return String(lines.filter((line) => take.test(line)).length || "") || null;
  if (pick === "distinct") return String(new Set([...text.matchAll(new RegExp(take, "g"))].map(([, one]) => one)).size || "") || null;
  const at = from === undefined ? 0 : lines.findIndex((line) => from.test(line));
  if (at === -1) return null;
  const near = from === undefined ? lines : lines.slice(at, at + within + 1);
  const found = near.flatMap(
    (line) =>
      take
        .exec(line)
        ?.slice(1)
        .find((one) => one !== undefined) ?? [],
  );
  return (pick === "last" ? found.at(-1) : found[0]) ?? null;
}

const FAILING =
  /(?:^|[\s(=,;])[1-9]\d* (?:failed|failing|failures?|errors?)\b|\b(?:failures|errors)=[1-9]|^\s*not ok \d|^FAIL\b|^--- FAIL|test result: FAILED|^# fail [1-9]|\*\*\* \[|\bexited with code [1-9]/;
const PASSING = /\b[1-9]\d* (?:passed|passing|tests? passed)\b|^OK\b|^ok\b|^PASS\b|test result: ok|^# fail 0/;

function verdict(lines) {
  if (lines.some((line) => FAILING.test(line))) return "failed";
  return lines.some((line) => PASSING.test(line)) ? "passed" : null;
}

/** Right, wrong and missing answers. A claim that is false counts as a wrong answer, whether or not anybody asked. */
export function judge(text, { questions, never = [] }) {
  const answers = questions.map(({ ask, expect, ...rule }) => ({ ask, expect, got: answer(text, rule) }));
  const claims = never
    .filter((claim) => claim.test(text))
    .map((claim) => ({ ask: "a false claim", expect: "not said", got: String(claim) }));
  const wrong = [...answers.filter(({ expect, got }) => got !== null && got !== expect), ...claims];
  return {
    right: answers.filter(({ expect, got }) => got === expect).length,
    wrong,
    missing: answers.filter(({ got }) => got === null),
  };
}
