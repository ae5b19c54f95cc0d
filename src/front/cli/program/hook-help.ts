/** What `zeph hook` does, command by command. */
export const HOOK_HELP = `
  zeph hook install claude     show what would be written, ask, write
  zeph hook status             what is true of the hooks now
  zeph hook test claude        run the installed command line with known input
  zeph hook remove claude      take out what was written, and nothing else
  zeph hook list               questions that a client could not put
  zeph hook approve 7f3a91c0   lift one call, once, for ten minutes
  zeph hook run claude pre     what a client starts before each call

Clients: claude, codex, copilot, gemini, qwen, opencode, pi, cursor (untested).
Modes: guard judges, and the client runs the command; walls also has commands
run behind Zeph's walls; filter only shortens outputs.
status ends with 0 when every hook is in force, and with 4 when one is not or
there is none. docs/hooks-clients.md says what each client can be told.
`;
