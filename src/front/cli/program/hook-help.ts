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
  zeph hook install claude     show what would be written, ask, write
  zeph hook status             what is true of the hooks now
  zeph hook test claude        run the installed command line with known input
  zeph hook test pi --live     start pi itself, with a scripted model
  zeph hook remove claude      take out what was written, and nothing else
  zeph hook list               questions that a client could not put
  zeph hook approve 7f3a91c0   lift one call, once, for ten minutes
  zeph hook run claude pre     what a client starts before each call

Clients: claude, codex, copilot, gemini, qwen, opencode, pi, cursor (untested).
Modes: guard judges, and the client runs the command; walls also has commands
run behind Zeph's walls; filter only shortens outputs.
status ends with 0 when every hook is in force, and with 4 when one is not or
there is none. docs/hooks-clients.md says what each client can be told.

The options of zeph itself (--config, --set, --cwd, --no-color) work here too.`,
} as const;
