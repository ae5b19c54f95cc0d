/** Below the options of `zeph skills` and `zeph trust`. */
export const TRUST_EXAMPLES = {
  skills: `
  zeph skills                 every skill that is found, and what is left out
  zeph skills show pdf        its trust, its files, and its text
  zeph skills trust pdf       trust it as it is now; a change ends that
  zeph skills untrust pdf     no longer trust it, also where it is your own
  zeph skills forget pdf      take back what you said about it

Your own skills (in ~/.config/zeph/skills, ~/.zeph/skills, ~/.agents/skills
and ~/.claude/skills) are trusted as they are. Those of a project are not,
before you say so. A command that an agent runs cannot say it.

The options of zeph itself (--config, --set, --cwd, --no-color) work here too.`,
  trust: `
Until you trust it, a project's .zeph/config.toml may only tighten what
your own file allows. Trust ends when the file changes.

  zeph trust             show what the project sets, and trust it
  zeph trust --skill x   as zeph skills trust x
  zeph trust --list      what is trusted
  zeph trust --revoke    no longer trust it
  zeph trust --revoke "command 3f2a…"
                         ask again about a command that you always allowed;
                         its name stands in the list`,
};
