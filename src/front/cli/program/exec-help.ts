/** Below the options of `zeph exec` and `zeph hookd`. */
export const EXEC_EXAMPLES = {
  exec: `
  zeph exec -- npm test             run it through every gate, behind the walls
  zeph exec -- "ls src | head -3"   one word with blanks is a line for the shell

The exit code is that of the command; 126 when the rules do not let it run, 2 when Zeph failed. docs/hookd.md says more.
`,
  hookd: `
  zeph hookd    nobody has to type this: the first hook, or the first zeph exec, starts it

It ends by itself after 15 minutes without a call. docs/hookd.md says more.
`,
} as const;
