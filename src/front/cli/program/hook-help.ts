/** Below the options of `zeph hook`, `zeph exec` and `zeph hookd`. */
export const HOOK_EXAMPLES = {
  exec: `
  zeph exec -- npm test             run it through every gate, behind the walls
  zeph exec -- "ls src | head -3"   one word with blanks is a line for the shell

The exit code is that of the command; 126 when the rules do not let it run, 2 when Zeph failed. docs/hookd.md says more.
`,
  hookd: `
  zeph hookd    nobody has to type this: the first hook, or the first zeph exec, starts it

It ends by itself after 15 minutes without a call. docs/hookd.md says more.
`,
  hook: `
  zeph hook run claude pre|post   what an agent starts before and after a call
It reads stdin and answers in the agent's words. Exit code 2: do not call.

The options of zeph itself (--config, --set, --cwd, --no-color) work here too.`,
} as const;
