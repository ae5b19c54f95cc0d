/** What every front end tells a model at the beginning, in the same words. A test compares them with what the tools do. */
export const OF_FOLDERS = "results then name the folder, as [in src]. File tools always count from the workspace's top.";
export const OF_MARKS =
  "Long output is shortened. [-312 lines raw#12 483] counts what is missing, [-40 lines here] stands in its gap; read_overflow reads raw#12. The last number, here 483, is the same in all your marks, and no program knows it.";
