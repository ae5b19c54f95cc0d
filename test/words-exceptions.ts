/** Names that two files export, kept while their folders are being put in order. This list only shrinks. */
export const SHARED: ReadonlySet<string> = new Set(["Answer", "Search", "Step", "Watch", "oneLine", "outputOf"]);

/** Functions that hand out functions under another kind of name. This list only shrinks. */
export const FACTORIES: ReadonlySet<string> = new Set([
  "approve",
  "cataloguePart",
  "compactionPart",
  "feedback",
  "fromAiSdk",
  "goalsPart",
  "guarded",
  "inFlight",
  "mcpPart",
  "memoryPart",
  "openFilterDesk",
  "openMcpDesk",
  "openSpending",
  "openStores",
  "planCommand",
  "schedulePart",
  "scriptModel",
  "skillsPart",
  "unwritten",
]);

/** Files with a riddle for a name. This list only shrinks. */
export const RIDDLE_FILES: ReadonlySet<string> = new Set(["kept.test.ts", "talk.ts", "talking.ts"]);

/** How many names of tests are no sentences yet. This number only shrinks. */
export const ODD_TEST_NAMES = 134;
