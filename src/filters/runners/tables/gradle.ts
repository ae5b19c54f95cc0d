import { JVM_FRAMES } from "../frames.ts";
import type { Runner } from "../runner.ts";

export const gradle: Runner = {
  always: [
    { see: /^\d+ tests? completed(?:, \d+ \w+)*$/, do: "totals", begins: "run" },
    { see: /^BUILD (?:SUCCESSFUL|FAILED)(?: in .*)?$/, do: "totals", begins: "run" },
    { see: /^(?=.* > )(?<key>\S.*) (?:PASSED|SKIPPED)(?: \([\d.]+m?s\))?$/, do: "pass", begins: "run" },
    { see: /^(?=.* > )(?<key>\S.*) (?:FAILED)(?: \([\d.]+m?s\))?$/, do: "title", begins: "block", say: "$1 FAILED" },
    { see: /^(?=.* > )(?<owner>\S.*) STANDARD_(?:OUT|ERROR)$/, do: "logged", begins: "printed" },
  ],
  parts: {
    run: { rows: [] },
    block: { rows: JVM_FRAMES, indent: 4 },
    printed: {
      outside: true,
      rows: [
        { see: /^ {4}/, do: "log", say: "" },
        { see: /^\S/, do: "keep", begins: "run" },
      ],
    },
  },
};
