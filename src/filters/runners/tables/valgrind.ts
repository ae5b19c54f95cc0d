import type { Row, Runner } from "../runner.ts";

const OF = String.raw`^==\d+==`;

const FRAMES: readonly Row[] = [
  { see: new RegExp(`${OF} +(?:at|by) 0x[\\dA-F]+: (?:.* \\(in /(?:usr|lib)|\\(below main\\)|__|_Exit|exit \\()`), do: "foreign" },
  { see: new RegExp(`${OF} +(?:at|by) 0x[\\dA-F]+: (.*)$`), do: "own", say: "  at $1" },
];

export const valgrind: Runner = {
  always: [
    { see: new RegExp(`${OF} (ERROR SUMMARY: \\d+ errors? from \\d+ contexts?).*$`), do: "totals", begins: "run", say: "$1" },
    {
      see: new RegExp(
        `${OF} (?:\\w+, an? .*(?:detector|profiler)|Copyright |Using Valgrind|Command: |Parent PID|Use --track-origins|For (?:lists|counts) of |[Rr]erun with |To see them, rerun |Reachable blocks \\(those )`,
      ),
      do: "drop",
      begins: "run",
    },
    // Advice on the size of the stack, whenever memory is read that is not there.
    {
      see: new RegExp(
        `${OF} {2}(?:If you believe this|overflow in your program|possible\\), you can|main thread stack|The main thread stack)`,
      ),
      do: "drop",
    },
    { see: new RegExp(`${OF} *$|${OF} +[\\w ]+: 0 bytes in 0 blocks$`), do: "drop" },
    {
      see: new RegExp(
        `${OF} ((?:Invalid |Conditional jump|Use of uninit|Syscall param|Mismatched |Source and dest|Process terminating|Jump to |Possible data race|[\\d,]+ (?:\\([\\d,]+ direct, [\\d,]+ indirect\\) )?bytes in ).*?)(?: in loss record [\\d,]+ of [\\d,]+)?$`,
      ),
      do: "title",
      begins: "block",
      say: "$1",
    },
    ...FRAMES,
    { see: new RegExp(`${OF} +`), do: "keep", say: "" },
  ],
  parts: { run: { rows: [] }, block: { rows: [] } },
};
