import type { Runner } from "../runner.ts";

/** What AddressSanitizer and its like report: the frames of the program, without the map of the memory. */
export const sanitizer: Runner = {
  always: [
    { see: /^SUMMARY: \w+Sanitizer: /, do: "totals", begins: "run" },
    { see: /^ThreadSanitizer: reported \d+ warnings?$/, do: "totals", begins: "run" },
    {
      see: /^(?:==\d+==)?((?:ERROR|WARNING): \w+Sanitizer: .*?)(?: at pc 0x[\da-f]+ bp 0x[\da-f]+ sp 0x[\da-f]+)?(?: \(pid=\d+\))?$/,
      do: "title",
      begins: "block",
      say: "$1",
    },
    { see: /^={18,}$|^==\d+==ABORTING$/, do: "drop" },
    { see: /^Shadow bytes around the buggy address:$/, do: "drop", begins: "shadow" },
    {
      see: /^ {4}#\d+ (?:0x[\da-f]+ in )?(?:__|_start\b|_?_?libc_start|operator (?:new|delete)|pthread_create|start_thread|clone3?\b|std::|malloc\b|free\b|calloc\b|realloc\b)|^ {4}#\d+ .*(?:\/usr\/(?:include|lib)\/|\/libsanitizer\/|\/sysdeps\/|\+0x[\da-f]+\)(?: \(BuildId: \w+\))?$(?<!:\d+ \([^()]*\)))/,
      do: "foreign",
    },
    { see: /^ {4}#\d+ (?:0x[\da-f]+ in )?(\S.*?) (\/?\S+:\d+)(?::\d+)?(?: \(.*\))?$/, do: "own", say: "  at $1 $2" },
  ],
  parts: {
    run: { rows: [] },
    block: { rows: [] },
    shadow: {
      rows: [{ see: /^(?:=>| {2})0x[\da-f]+: ?[\da-f[]|^Shadow byte legend |^ {2}[A-Z][\w ]+: +[\da-f]{2}\b/, do: "drop" }],
    },
  },
};
