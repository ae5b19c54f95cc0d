/** A shell for one command. One that begins as an option does is none. */
export const bashWords = (command: string, text: string): readonly string[] => [
  ...["/bin/bash", "--noprofile", "--norc", "-c"],
  ...(/^\s*[-+]/.test(command) ? ["--"] : []),
  text,
];
