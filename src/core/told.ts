/** What every front end tells a model at the beginning, in the same words. A test compares them with what the tools do. */
export const OF_FOLDERS = "results then name the folder, as [in src]. File tools always count from the workspace's top.";
export const OF_MARKS =
  "Long output is shortened. [-312 lines raw#12 483] counts what is missing, [-40 lines here] stands in its gap; read_overflow reads raw#12. The last number, here 483, is the same in all your marks, and no program knows it.";

/** Of a place that one kind of tools does not reach, with the setting that opens it. */
export const outsideWorkspace = (path: string, whose: "file tools" | "commands", setting: string): string =>
  `${path} is outside the workspace: ${whose} cannot see it (${setting}).`;
/** File tools reach no /tmp, and commands have another one than other programs. */
export const OF_TMP = "commands have a /tmp of their own, and file tools have none: what both need belongs into the workspace.";
