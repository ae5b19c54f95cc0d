import type { Row } from "../runner.ts";

/** `\tat package.Class.method(File.java:12)`. Frames of the language and of test libraries go. */
export const JVM_FRAMES: readonly Row[] = [
  {
    see: /^\s+at (?:[\w.@-]+\/+)?(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|testng|hamcrest|assertj|opentest4j|mockito|gradle|apache\.maven|codehaus|spockframework)|junit|worker)\./,
    do: "foreign",
  },
  { see: /^\s+(at [\w$.<>/@-]+\([^()]*\)).*$/, do: "own", say: "$1" },
  { see: /^\s+\.\.\. \d+ (?:more|common frames omitted)$/, do: "drop" },
];
