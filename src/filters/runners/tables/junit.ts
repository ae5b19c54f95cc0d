import type { Runner } from "../runner.ts";

const BRANCH = String.raw`^[│├└─╷'|+\s-]*`;

/** The console of the JUnit platform: a tree of results, the failures, and how many there were of each kind. */
export const junit: Runner = {
  always: [
    {
      see: /^\[ +0 (?:tests|containers) \w+ +\]$|^\[ +\d+ (?:containers \w+|tests started) +\]$|^Test run finished after /,
      do: "drop",
      begins: "run",
    },
    { see: /^\[ +(\d+ tests \w+) +\]$/, do: "totals", begins: "run", say: "$1" },
    { see: /^Failures \(\d+\):$/, do: "drop", begins: "failures" },
    { see: new RegExp(`${BRANCH}\\S.* (?:✔|\\[OK\\])$`), do: "pass" },
    { see: new RegExp(`${BRANCH}(\\S.* (?:↷|\\[S\\]) (?<why>.*))$`), do: "skip", say: "$1" },
    { see: new RegExp(`${BRANCH}(?<key>\\S.*?) (?:✘|\\[X\\]) .*$`), do: "brief" },
    { see: /^╷$|^\.$|^Thanks for using JUnit!/, do: "drop" },
  ],
  parts: {
    run: { rows: [] },
    failures: { outside: true, rows: [{ see: /^ {2}(?<key>\S.*)$/, do: "title", begins: "block", say: "$1" }] },
    block: {
      rows: [
        { see: /^ {2}(?<key>\S.*)$/, do: "title", begins: "block", say: "$1" },
        { see: /^ {4}(?:Method|Class|Uri|File)Source \[|^ +\[\.\.\.\]$/, do: "drop" },
        { see: /^ {4}=> /, do: "keep", say: "" },
        {
          see: /^ {7}(?:[\w.@-]+\/+)?(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|hamcrest|assertj|opentest4j|mockito))\./,
          do: "foreign",
        },
        { see: /^ {7}([\w$.<>/@-]+\([^()]*\))$/, do: "own", say: "at $1" },
      ],
      indent: 7,
    },
  },
  aliases: (key) => [key.split(":").at(-1)!],
};
