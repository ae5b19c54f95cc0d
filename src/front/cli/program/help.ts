import { HOOK_EXAMPLES } from "./hook-help.ts";
import { MCP_EXAMPLES } from "./mcp-help.ts";
import { TRUST_EXAMPLES } from "./trust-help.ts";

/** The line below the options in each help text. */
const EVERYWHERE = "\nThe options of zeph itself (--config, --set, --cwd, --no-color) work here too.";

export const EXAMPLES: Readonly<Record<string, string>> = {
  zeph: `
Examples:
  zeph                                      talk with a model
  zeph run "Why does the build fail?"       give it a task and let it work
  zeph demo                                 see what Zeph does in one minute
  zeph call read '{"path":"README.md"}'     run one tool
  zeph --set autonomy=readonly call write '{"path":"a","content":""}'
  zeph config explain                       every setting in force, and why

Without a model (a key in ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or
OPENROUTER_API_KEY, a provider in the configuration, a local Ollama) it opens a
console for the tools.
Exit codes: 0 ok, 2 wrong usage or configuration, 3 denied, 4 needs a yes
nobody gave, 5 the tool failed, 130 cancelled. 1 is a mistake in Zeph, or an
example that fails (filter test, policy test).
\`zeph run --help\` lists those of a run.`,
  call: `
Examples:
  zeph call read '{"path":"README.md","limit":5}'
  zeph call grep '{"pattern":"TODO"}' --json
  echo '{"path":"a.txt","content":"hi"}' | zeph call write - --yes
  zeph call bash '{"command":"npm test"}'
  zeph call bash '{"command":"rm -r old"}' --dry-run   the diff it would make
  zeph call --batch < calls.jsonl

A batch is one turn. Reads run side by side, at most 8; whatever may change
something waits for all calls before it. Answers come in the order of the
calls. A bad line is answered with an error and the rest go on.
${EVERYWHERE}`,
  run: `
Examples:
  zeph run "Why does the build fail?"
  zeph run "Add a test for the parser" --yes --max-turns 30
  git diff | zeph run -                     the task comes on stdin
  zeph run --continue "And now the docs"    goes on where you were
  zeph run "…" --later                      questions wait for zeph answer
  zeph run "…" --json                       for programs

The model's words go to stdout, everything else to stderr. Without a terminal
nobody is asked: a call that needs a yes is not made.
Exit codes: 0 finished, 2 usage, configuration or no model, 3 something was
denied, 4 a question stayed open, 6 stopped by a limit, 7 the model failed,
130 cancelled. With --later --yes only what --yes does not answer is kept.
${EVERYWHERE}`,
  answer: `
Examples:
  zeph answer                             what waits for an answer, in this folder
  zeph answer 3f2a91                      the whole question
  zeph answer 3f2a91 once                 yes, for this call
  zeph answer 3f2a91 no --reason "use the staging server"

The call is judged again first: what changed since the question was asked is
not covered. A conversation goes on when its last question is answered. A
command that an agent runs cannot answer. A process that still asks is told,
and goes on itself.
Exit codes: as zeph run where a conversation goes on, else as zeph call.
${EVERYWHERE}`,
  watch: `
Examples:
  zeph watch                              a page to read, in your browser
  zeph watch --answer                     questions can be answered on it
  zeph watch --no-open                    prints the link alone
  zeph watch --plain                      calls and questions, in this terminal
  zeph watch --plain --once               what runs now

It sees chats, runs, scheduled runs, zeph mcp and zeph acp of yours. Questions
are also answered with zeph answer.

The page listens on this machine alone. Its link opens it once, within a
minute; Enter prints a new one. Whoever comes in, and each answer, is noted
in the audit log. A process that an agent started cannot start it.
Exit codes: 0 ended; 2 usage.
${EVERYWHERE}`,
  sessions: `
Examples:
  zeph sessions
  zeph sessions --all --limit 100
  zeph sessions --json
  zeph sessions delete 0b7c91  deletes what was said

Go on with one: zeph run --continue <id> "…"
${EVERYWHERE}`,
  report: `
Examples:
  zeph report 3f2a91c0                      what a session did, in this terminal
  zeph report 3f2a91c0 --html --out report.html
  zeph report 3f2a91c0 --json               for programs

The id is that of a conversation (zeph sessions) or of a session of the audit
log, or the beginning of one. The report holds every call, who decided and who
was asked, files that were changed with their diffs as far as they are kept,
what went out, and the hash of each line of the log. It says what is not kept.
Exit codes: 0, 2 for an id that is not known, 5 where the log is not what was
written.
${EVERYWHERE}`,
  memory: `
Examples:
  zeph memory                             what is remembered for this folder
  zeph memory search release steps        as the model would find it
  zeph memory save "Releases need a tag"
  zeph memory forget 3f2a91               the beginning of an id is enough
  zeph memory forget --all                everything, of every folder

Conversations are kept apart: zeph sessions.
${EVERYWHERE}`,
  schedule: `
Examples:
  zeph schedule
  zeph schedule add "every weekday at 8" "Summarise what changed in git"
  zeph schedule add "in 20 minutes" "Check whether the build is green"
  zeph schedule remove 3f2a91
  zeph schedule run                       runs due tasks until Ctrl-C

A chat runs them, too. Nobody is asked: a call that needs a yes is not
made.
${EVERYWHERE}`,
  filter: `
Examples:
  zeph filter -- npm test                 run it; same exit code
  zeph filter --explain -- git status
  zeph filter -- 'make 2>&1 | tail -50'   one word with spaces: for bash
  zeph filter --command "npm test" --exit-code 1 < output.txt
  zeph filter --raw raw#482913            all of what was shortened
  zeph filter rules                       the rules in force
  zeph filter savings 30                  what filters saved in 30 days
  zeph filter test rules.toml             your rules against their examples

The command runs as you would run it: with your rights, without gates or walls.
Lines that were left out are counted; lines that look like errors stay.
Exit codes: that of the command; 0; test: 1 when an example fails; 2 usage.
${EVERYWHERE}`,
  policy: `
Examples:
  zeph policy                             how every gate is set
  zeph policy check bash '{"command":"rm -r build"}'
  zeph policy check fetch '{"url":"https://a.example"}' --phase executor
  zeph policy replay --config new.toml    past calls decided differently
  zeph policy replay --audit old.jsonl --all --json
  zeph policy test rules.toml             rules against their examples

Nothing is run, no model is asked and nothing is written down. check says who
decides and why, and what a command could still do inside its walls.
Exit codes: check: 0 allow, 4 ask, 3 deny, 5 no such tool or arguments it
does not take, as zeph call; replay: 0 no change, 5 some calls change; test:
1 when an example fails or a rule is wrong; 2 usage or configuration.
${EVERYWHERE}`,
  ...MCP_EXAMPLES,
  acp: `
Your editor starts this; it talks ACP on stdin and stdout. There is nothing
to type.
${EVERYWHERE}`,
  tools: `
Examples:
  zeph tools
  zeph tools grep
  zeph tools --json
${EVERYWHERE}`,
  store: `
Examples:
  zeph store init postgres://admin@db/zeph      roles, tables, row security
  zeph store migrate postgres://admin@db/zeph   after an update of Zeph
  zeph store check postgres://zeph@db/zeph
  zeph store copy postgres://zeph@db/zeph --from ~/.local/state/zeph/zeph.db

Only \`zeph store migrate\` changes tables; no gateway and no worker does.
${EVERYWHERE}`,
  serve: `
Examples:
  zeph serve --store postgres://zeph@db/zeph --port 7344
  ZEPH_STORE=postgres://zeph@db/zeph zeph serve --bus nats://a,nats://b
  zeph serve --url https://fleet.example         behind a proxy that speaks TLS
  zeph fleet token add ann                       a token to come in with

Any number of gateways may serve one store. Ctrl-C ends it.
${EVERYWHERE}`,
  worker: `
Examples:
  zeph worker --store postgres://zeph@db/zeph --slots 8
  zeph worker --label gpu --name big-1

SIGTERM or Ctrl-C drains it: what runs is given back at its next step, and
another worker goes on with it.
${EVERYWHERE}`,
  submit: `
Examples:
  zeph submit "Update the changelog" --repo https://host/app.git@main --wait
  zeph submit "And now the docs" --session docs-1 --follow
  zeph submit --file tasks.jsonl --batch spring --limit anthropic=40

The same key, or the same file with the same batch, adds nothing again.
A line of a file may also say key, repo, session, model, limit, label,
max_attempts, on_unknown, max_turns, max_tokens, max_usd and max_time.
${EVERYWHERE}`,
  fleet: `
Examples:
  zeph fleet status
  zeph fleet tasks --state running
  zeph fleet drain worker-3
  zeph fleet results spring --jsonl > results.jsonl
  zeph fleet approve 3f2a91 --reason "agreed with Kim"
  zeph fleet policy push ./rules
  zeph fleet audit verify
${EVERYWHERE}`,
  demo: `
No model, no network: the turns are read from a script, the tools are real.
Everything happens in a temporary folder that is removed afterwards.`,
  doctor: `
Each line is ok, warn or fail, with what to do. For the walls a command really
tries to get out, to targets that are made for the test: a file outside, a key
in a home folder, a listener, a process. Nothing is left behind, no secret is
printed, and without --online nobody is asked over the network.
Exit codes: 0, or 1 where a line says fail.
${EVERYWHERE}`,
  ...HOOK_EXAMPLES,
  audit: `
  zeph audit tail [-n <lines>] [-f] [--json]   the last entries
  zeph audit verify [--json]                   was anything edited or cut?
  zeph audit stats [--json]                    counts and durations
${EVERYWHERE}`,
  config: `
  zeph config explain [key] [--json]   values, defaults, and who set them
  zeph config path [--json]            which files are read
  zeph config schema                   a JSON Schema for editors
${EVERYWHERE}`,
  init: `
  zeph init              your own file
  zeph init --project    .zeph/config.toml in this folder
  zeph init --force      replace the file that is there; a copy is kept`,
  import: `
Examples:
  zeph import claude --dry-run         what would be written, and what not
  zeph import claude codex             all their files that are there
  zeph import gemini --from old.toml   one file
  zeph import mcp --from -             {"mcpServers": …} from stdin

Agents: claude, codex, gemini, qwen, opencode, cursor. It reads, shows
everything and asks. It runs nothing, and takes over no key, no trust and no
mode that asks nobody. What you wrote yourself stays. Importing again replaces
what came from the same file.
Exit codes: 0 ok, 2 wrong usage or a file that cannot be read, 4 nobody said
yes.
${EVERYWHERE}`,
  completion: `
  bash   zeph completion bash > ~/.local/share/bash-completion/completions/zeph
  zsh    zeph completion zsh > ~/.zfunc/_zeph
         with this in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit
  fish   zeph completion fish > ~/.config/fish/completions/zeph.fish

Make the folder first where there is none. To try it without a file, in bash
or zsh: source <(zeph completion bash)`,
  ...TRUST_EXAMPLES,
};
