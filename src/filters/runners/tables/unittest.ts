import { TRACEBACK, tracebackParts } from "../frames.ts";
import type { Row, Runner } from "../runner.ts";

const DIFF: readonly Row[] = [
  { see: /^\? [\s^+~-]*$/, do: "drop" },
  { see: /^[-+] /, do: "again" },
];

export const unittest: Runner = {
  always: [
    { see: /^Ran \d+ tests? in [\d.]+s$/, do: "totals", begins: "run" },
    { see: /^(?:OK|FAILED|NO TESTS RAN)(?: \((?:[a-z ]+=\d+(?:, )?)+\))?$/, do: "totals", begins: "run" },
    { see: /^={70}$|^-{70}$/, do: "drop" },
    { see: /^(?:FAIL|ERROR): (?<key>\w+ \([\w.<>]+\).*)$/, do: "title", begins: "block" },
  ],
  dots: /^(?:[.FEsxu]*\.[.FEsxu]*|([FEsxu])\1*)$/,
  parts: {
    run: {
      rows: [
        { see: /^.* \.\.\. (?:ok|expected failure)$|^ok$/, do: "pass" },
        { see: /^.* \.\.\. skipped (?<why>'.*'|".*")$/, do: "skip" },
        { see: /^\s*(?<key>\w+ \([\w.<>]+\).*?) \.\.\. (?:FAIL|ERROR)$/, do: "brief" },
        { see: /^\s*test\w* \([\w.]+\)(?: \.\.\. ?)?$/, do: "drop" },
      ],
    },
    block: { rows: [TRACEBACK] },
    ...tracebackParts([TRACEBACK, ...DIFF]),
  },
};
