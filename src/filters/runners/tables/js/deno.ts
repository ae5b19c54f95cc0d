import { JS_FRAMES } from "../../frames.ts";
import type { Row, Runner } from "../../runner.ts";

const TIME = String.raw`(?: \([\d.]+(?:ms|s|µs|m[\d.]*s?)\))?$`;

/** Another rule may have put the message behind it. */
const TITLE: Row = { see: /^(?<key>\S.* => [^\s:]+:\d+:\d+)(?:: .*)?$/, do: "title", begins: "block" };

export const deno: Runner = {
  always: [
    { see: new RegExp(`^((?:ok|FAILED) \\| \\d+ passed.*?)${TIME}`), do: "totals", begins: "run", say: "$1" },
    { see: /^ ?ERRORS ?$/, do: "drop", begins: "errors" },
    { see: /^ ?FAILURES ?$/, do: "drop", begins: "failures" },
  ],
  dots: /^[.!,]+$/,
  parts: {
    run: {
      rows: [
        { see: new RegExp(`^\\s*(?<key>\\S.*) \\.\\.\\. (?:ok|ignored)${TIME}`), do: "pass" },
        { see: new RegExp(`^\\s*(?<key>\\S.*) \\.\\.\\. FAILED(?: \\(due to .*\\))?${TIME}`), do: "brief" },
        { see: /^running \d+ tests? from |^Check file:/, do: "drop" },
        { see: /^-+ (?:post-test |pre-test )?output -+$/, do: "log", begins: "printed" },
        { see: /^\s*(?<owner>\S.*) \.\.\.$/, do: "drop" },
      ],
    },
    printed: { rows: [{ see: /^-+ (?:post-test |pre-test )?output end -+$/, do: "log", begins: "run" }], rest: "log" },
    errors: { outside: true, rows: [TITLE] },
    block: { rows: [TITLE, ...JS_FRAMES] },
    failures: { outside: true, rows: [{ see: /^(?<key>\S.* => [^\s:]+:\d+:\d+)$/, do: "brief" }] },
  },
  aliases: (key) => key.replace(/ => \S+$/, "").split(" ... "),
};
