// Made from the schema of the configuration by `npm run docs`.

/** The configuration as a program gives it: what is left out has its default. docs/config.md explains every setting. */
export interface ConfigInput {
  /** `readonly` denies every tool that does more than read. `edits` lets the file tools change files of the workspace without a question; commands are asked about as before, and protected files one by one. `full` answers the questions of permissions, trust and verifiers with yes. Denials still hold, other gates still ask, and a command nobody could take apart is asked about. Default: `"supervised"`. */
  readonly autonomy?: "full" | "edits" | "supervised" | "readonly";
  readonly tools?: {
    /** `false` switches all tools off. Default: `true`. */
    readonly enabled?: boolean;
    /** Most tool calls in one session. Each admitted call counts once, retries are free. Unset means no limit. */
    readonly max_tool_calls_per_session?: number;
    /** A yes counts only if it names a person, and another one than the caller. A no counts from anybody. Default: `false`. */
    readonly four_eyes?: boolean;
    /** Let a model summarise an output that is too long to show, in place of its beginning and end. When that fails, beginning and end are shown. Default: `false`. */
    readonly summarize_output?: boolean;
    readonly compression?: {
      /** Shorten what tools return while a goal is active. Without a goal nothing is shortened here. Default: `true`. */
      readonly enabled?: boolean;
      /** Look at what each section of an output has to do with the goal, and leave out what has nothing to do with it. Default: `true`. */
      readonly goal_aware?: boolean;
      /** Outputs up to this long are left as they are. Default: `300`. */
      readonly compression_threshold_tokens?: number;
      /** Never shorten the output of a command that failed. Default: `true`. */
      readonly preserve_shell_errors?: boolean;
      /** Never leave out a line that tells of an error. Default: `true`. */
      readonly preserve_errors?: boolean;
      /** Sections at least this relevant to the goal stay whole (0 to 1). Default: `0.5`. */
      readonly goal_relevance_threshold?: number;
      /** Most characters of relevant sections that are shown; the rest is kept for read_overflow. Lines that tell of errors are always shown. Default: `4096`. */
      readonly max_preserved_chars?: number;
      /** How a tool's output is shortened: `aggressive` leaves two or three lines, `moderate` shortens only long ones, `off` leaves everything. A tool that is not named: `off`. */
      readonly strategies?: { readonly [name: string]: "aggressive" | "moderate" | "off" };
    };
    readonly dependencies?: {
      /** Hide and refuse a tool until the tools it requires have succeeded in this session. Default: `false`. */
      readonly enabled?: boolean;
      /** How much each preferred tool that has succeeded lifts a tool's rank. Default: `0.15`. */
      readonly boost_per_dep?: number;
      /** The most that all of them lift it. Default: `0.2`. */
      readonly max_total_boost?: number;
      /** Written as `[tools.dependencies.rules.<tool>]` with `requires` and `prefers`, each a list of tools. */
      readonly rules?: {
        readonly [name: string]: {
          /** Default: `[]`. */
          readonly requires?: readonly string[];
          /** Default: `[]`. */
          readonly prefers?: readonly string[];
        };
      };
    };
    readonly tafc?: {
      /** Give complex tools a field in which the model thinks before it fills in the arguments. Default: `false`. */
      readonly enabled?: boolean;
      /** From which complexity on (0 to 1). A number outside is taken to the nearer end; nan and inf are 0.6. */
      readonly complexity_threshold?: number;
    };
    readonly file?: {
      /** Folders the file tools may work in. Empty means the working directory. `~` is home; relative paths start at the working directory. Default: `[]`. */
      readonly allowed_paths?: readonly string[];
      /** Globs of files that no tool and no command may read. They are compared with the real path, after every link is followed, and always win. Default: `[]`. */
      readonly deny_read?: readonly string[];
      /** When not empty, the file tools read only files that match one of these globs. `deny_read` still wins. Commands are not bound by it, as they are by `deny_read`: what they may read is what the walls show (`tools.sandbox.allow_read`), and `zeph policy check bash` lists it. Default: `[]`. */
      readonly allow_read?: readonly string[];
    };
    readonly diagnostics?: {
      /** Most findings one call of `diagnostics` returns. A call may ask for fewer; all are counted. Default: `50`. */
      readonly max_diagnostics?: number;
    };
    readonly filters?: {
      /** false shows what commands print as it is. Secrets are taken out all the same. Default: `true`. */
      readonly enabled?: boolean;
      /** A file of filter rules. Empty means `filters.toml` beside your configuration, if it is there. Default: `""`. */
      readonly filters_path?: string;
      /** Filter rules as TOML text, for programs. It is read in place of the file. Default: `""`. */
      readonly rules_toml?: string;
      readonly security?: {
        /** false shows secrets in the output of tools. The audit log is searched for them all the same. Default: `true`. */
        readonly enabled?: boolean;
        /** More patterns of secrets, as RE2 expressions. What a pattern matches is redacted; with a group, what the first group matches. Default: `[]`. */
        readonly extra_patterns?: readonly string[];
      };
    };
    readonly overflow?: {
      /** A result with more characters than this is kept in the store; the model gets its beginning, its end and an id for `read_overflow`. Default: `50000`. */
      readonly threshold?: number;
      /** What was kept is deleted at the first start after so many days. Default: `7`. */
      readonly retention_days?: number;
      /** Of a result larger than this only the beginning and the end are kept. 0 means no limit. Default: `10485760`. */
      readonly max_overflow_bytes?: number;
    };
    /** Rules for each tool, written as `[[tools.permissions.<tool>]]` with `pattern` and `action`. First match wins; none means ask. `[[tools.permissions."mcp__notes__*"]]` speaks of all tools of an MCP server: what it denies stays denied, and else the rules for a tool itself come first. With `exact = true` the pattern is no glob but one call as `always` writes it: its path, letter by letter, or its arguments as JSON. With `caller` a rule speaks of that caller alone. */
    readonly permissions?: {
      readonly [name: string]: readonly {
        readonly pattern: string;
        readonly action: "allow" | "ask" | "deny";
        readonly exact?: boolean;
        readonly caller?: string;
      }[];
    };
    readonly result_cache?: {
      /** Answer a repeated read or search from memory while nothing it read has changed. Default: `true`. */
      readonly enabled?: boolean;
      /** An answer older than this is not given again. 0 means never too old. Default: `300`. */
      readonly ttl_secs?: number;
    };
    readonly retry?: {
      /** Retries after the first try; 0 means none. Default: `2`. */
      readonly max_attempts?: number;
      /** The first pause is at most this long; it doubles with each retry. Default: `500`. */
      readonly base_ms?: number;
      /** No pause is longer than this, unless the other side asks for it. Default: `5000`. */
      readonly max_ms?: number;
      /** A retry that would begin later than this after the first try is not made. Default: `30`. */
      readonly budget_secs?: number;
      /** The provider whose model may repair the arguments of a call once, when they do not fit the tool. Empty means none. Default: `""`. */
      readonly parameter_reformat_provider?: string;
    };
    readonly scrape?: {
      /** Seconds a page may take, from the first lookup to the last byte, redirects included. Default: `15`. */
      readonly timeout?: number;
      /** A body is cut here, as it was sent and as it was unpacked. Default: `1048576`. */
      readonly max_body_bytes?: number;
      /** When not empty, only these domains are reached, redirects included, and no bare address. `example.com` is that name alone, `*.example.com` its subdomains. Default: `[]`. */
      readonly allowed_domains?: readonly string[];
      /** Domains that are never reached, written like `allowed_domains`. They always win. Default: `[]`. */
      readonly denied_domains?: readonly string[];
      /** Ports that may be used. An empty list closes the web. Default: `[443]`. */
      readonly ports?: readonly number[];
    };
    readonly shell?: {
      /** Seconds a command may take. Then all its processes are killed and it fails with exit code 124. Default: `120`. */
      readonly timeout?: number;
      /** Most seconds that a call of bash may ask for with its argument `timeout`. Where `timeout` above is larger, that counts. Default: `600`. */
      readonly max_timeout?: number;
      /** Folders where a command may start, and where `cd` may lead. Empty means the working directory. It is also the default of `tools.sandbox.allow_write`. Default: `[]`. */
      readonly allowed_paths?: readonly string[];
      /** Most bytes of output that are kept. Beyond it the first and the last half are kept and the middle is counted. Default: `10485760`. */
      readonly max_output_bytes?: number;
      /** Most commands running in the background at once. Default: `8`. */
      readonly max_background_runs?: number;
      /** Seconds a background command may take. Default: `1800`. */
      readonly background_timeout_secs?: number;
      /** Give hooks `ZEPH_TURN_ID`, `ZEPH_GOAL_ID` and `ZEPH_SKILL_NAME`. Default: `false`. */
      readonly enable_execution_context?: boolean;
      /** Save what a command would change before it runs, so that it can be undone. Default: `false`. */
      readonly transactional?: boolean;
      /** Globs, from the working directory, of what is saved when it cannot be known what a command changes. Default: `["**"]`. */
      readonly transaction_scope?: readonly string[];
      /** Undo a command that ends with one of `auto_rollback_exit_codes`. Default: `false`. */
      readonly auto_rollback?: boolean;
      /** Exit codes that undo a command. Default: `[1,2]`. */
      readonly auto_rollback_exit_codes?: readonly number[];
      /** Do not run a command whose changes could not be saved. Default: `false`. */
      readonly snapshot_required?: boolean;
      /** Most bytes saved before a command; 0 means no cap. Default: `0`. */
      readonly max_snapshot_bytes?: number;
      /** Commands that are never run. One word is a program, several are a program with these words first (`npm publish`); words may be globs. They are found at any depth of a command. Default: `[]`. */
      readonly blocked_commands?: readonly string[];
      /** Commands that need a yes when there are no rules for bash, written like `blocked_commands`. `drop table`, `drop database` and `writes outside the workspace` are recognised as such; behind walls `rm` leaves out single files of the workspace that are kept before they go, and `rm *` is every rm. Default: `["rm","git push --force","git reset --hard","git clean","truncate","drop table","drop database","chmod -R","chown -R","writes outside the workspace"]`. */
      readonly confirm_patterns?: readonly string[];
      /** What happens to `$(…)`, backticks, `<(…)`, `>(…)`, `<<<`, `eval`, `source` and `.`. `auto` looks into them behind working walls and refuses them elsewhere; `block` always refuses, `ask` always asks, `allow` only looks into them. Default: `"auto"`. */
      readonly constructs?: "auto" | "block" | "ask" | "allow";
    };
    readonly sandbox?: {
      /** Run commands inside the operating system's sandbox. See docs/sandbox.md. Default: `true`. */
      readonly enabled?: boolean;
      /** More paths or globs a command may read. The system's programs and `tools.shell.allowed_paths` are always readable; home is not. Default: `[]`. */
      readonly allow_read?: readonly string[];
      /** Paths or globs a command may write. Empty means `tools.shell.allowed_paths`. `/`, home and every folder that holds Zeph's own files are refused. Default: `[]`. */
      readonly allow_write?: readonly string[];
      /** Names that commands reach without a question, on ports 443 and 80: `example.com` is that name alone, `*.example.com` its subdomains, `@registries` those your package managers load from. Each is a way out. See docs/network.md. Default: `[]`. */
      readonly allow_domains?: readonly string[];
      /** Names that commands never reach, written like `allow_domains`. They always win, and nobody is asked about them. Default: `[]`. */
      readonly deny_domains?: readonly string[];
      /** Let commands use the machine's network, with its localhost services. Default: `false`. */
      readonly allow_network?: boolean;
      /** When no sandbox works here: `ask` before each command, `deny` them all, or `noop`, run them without walls and say so. Default: `"ask"`. */
      readonly fallback?: "ask" | "deny" | "noop";
      /** After a command has failed at a wall: `never` runs it without walls, or `ask` when the very same command is called again. That question is one of its own: no `always`, no rule and no `--yes` answers it. Default: `"never"`. */
      readonly escalation?: "never" | "ask";
      /** When the workspace is a folder of a larger repository: whether commands may change the rest of it. `ask` once a session, when a command would have to; `whole` always; `here` never. `--yes` does not answer it. See docs/sandbox.md. Default: `"ask"`. */
      readonly outer_repository?: "ask" | "whole" | "here";
      /** Folders of programs outside `/usr`, read-only and first in PATH, for example `~/.cargo/bin`. Keep them narrow: `~/.cargo` also holds credentials. Default: `[]`. */
      readonly toolchains?: readonly string[];
      /** `auto`: the folders of your PATH are opened to commands, read-only and narrowly, as far as they hold nothing private. `system`: commands have the system's programs and `toolchains`. Default: `"auto"`. */
      readonly path?: "auto" | "system";
    };
    readonly scope?: {
      /** Apply the settings of this table. Default: `false`. */
      readonly enabled?: boolean;
      /** Run commands, MCP servers that are programs, and the file tools as this user. Needs root with CAP_SETUID and CAP_SETGID: Zeph does not use sudo, and without them another user's name is an error of the configuration (exit code 2). Empty, or your own name, means the user who started Zeph. Default: `""`. */
      readonly run_as_user?: string;
      /** Only a trusted caller may use tools that write, run or fetch, with nothing less trusted behind the call: no unvouched skill, no such server. Default: `false`. */
      readonly require_capability?: boolean;
      /** Note every call before it is carried out, those that only read too. Others are noted before in any case, and every call afterwards, with user and scope: the audit itself cannot be switched off. Default: `true`. */
      readonly audit_all_invocations?: boolean;
    };
    readonly scoped?: {
      /** Limit tools to the lists and constraints below. Default: `false`. */
      readonly enabled?: boolean;
      /** Tools that are not used. Ignored when `allowed_tools` is set. Default: `[]`. */
      readonly denied_tools?: readonly string[];
      /** The only tools that are used. Empty: all but the denied ones. Default: `[]`. */
      readonly allowed_tools?: readonly string[];
      /** Limits for one tool each, written as `[[tools.scoped.constraints]]`: `tool`, and any of `deny_patterns` (globs that may fit nothing in its arguments: they are looked for anywhere, in any case), `allowed_paths`, `allowed_domains` and `min_trust` (below it: ask). Default: `[]`. */
      readonly constraints?: readonly {
        readonly tool: string;
        /** Default: `[]`. */
        readonly deny_patterns?: readonly string[];
        /** Default: `[]`. */
        readonly allowed_paths?: readonly string[];
        /** Default: `[]`. */
        readonly allowed_domains?: readonly string[];
        readonly min_trust?: "untrusted" | "provisional" | "trusted";
      }[];
    };
    readonly policy?: {
      /** Check every call against the rules below. A call that no rule matches gets `default_effect`. Default: `false`. */
      readonly enabled?: boolean;
      /** What happens to a call that no rule matches. Default: `"deny"`. */
      readonly default_effect?: "allow" | "deny";
      /** Rules, written as `[[tools.policy.rules]]`. The first that matches decides. docs/policy.md explains their fields. Default: `[]`. */
      readonly rules?: readonly {
        readonly effect?: "allow" | "deny";
        readonly action?: "allow" | "deny";
        readonly tool?: string;
        readonly tools?: readonly string[];
        readonly paths?: readonly string[];
        readonly args_match?: string;
        readonly env?: readonly string[];
        readonly trust_level?: "untrusted" | "provisional" | "trusted";
        readonly capabilities?: readonly ("reads" | "stores" | "writes" | "runs" | "fetches" | "unknown")[];
        readonly allow?: readonly string[];
        readonly deny?: readonly string[];
      }[];
      /** A TOML file with more `[[rules]]`; they come after those above. Relative to the file that names it. Tools cannot change it. Default: `""`. */
      readonly policy_file?: string;
    };
    readonly authorization?: {
      /** Use the rules below, after those of `tools.policy`. Default: `false`. */
      readonly enabled?: boolean;
      /** Rules as in `tools.policy.rules`. They come after those, in one list; a call that none matches passes, unless `tools.policy` is enabled. Default: `[]`. */
      readonly rules?: readonly {
        readonly effect?: "allow" | "deny";
        readonly action?: "allow" | "deny";
        readonly tool?: string;
        readonly tools?: readonly string[];
        readonly paths?: readonly string[];
        readonly args_match?: string;
        readonly env?: readonly string[];
        readonly trust_level?: "untrusted" | "provisional" | "trusted";
        readonly capabilities?: readonly ("reads" | "stores" | "writes" | "runs" | "fetches" | "unknown")[];
        readonly allow?: readonly string[];
        readonly deny?: readonly string[];
      }[];
    };
    readonly adversarial_policy?: {
      /** Let a model judge each call against the policies below, after every other gate. Default: `false`. */
      readonly enabled?: boolean;
      /** The provider that judges, by its name; "" is the one that answers. Default: `""`. */
      readonly provider?: string;
      /** What calls must keep to, in plain words, one policy each; or `{ text, phases }` for one that counts only in these phases. Default: `[]`. */
      readonly policies?: readonly (
        | string
        | {
            readonly text: string;
            readonly phases: readonly ("planner" | "executor" | "verifier" | "autonomous")[];
          }
      )[];
      /** A text file with one more policy on each line; empty lines and lines that begin with # are left out. Tools cannot change it. Default: `""`. */
      readonly policy_file?: string;
      /** Let a call pass when the judging model cannot be reached or is late. An answer that is neither ALLOW nor DENY always denies. Default: `false`. */
      readonly fail_open?: boolean;
      /** How long the judging model may take. Default: `3000`. */
      readonly timeout_ms?: number;
      /** Tools that are not judged this way. Default: `["memory_save","memory_search","read_overflow","load_skill","invoke_skill","scheduler","schedule_deferred"]`. */
      readonly exempt_tools?: readonly string[];
    };
    readonly governance?: {
      /** Remember sequences of calls and how they ended, and enforce `blocked_sequences`. Default: `false`. */
      readonly trajectory_enabled?: boolean;
      /** Refuse a call whose recent sequence is similar to one that ended in an error, a violation or a person's "unacceptable". Needs `trajectory_enabled`. Default: `false`. */
      readonly block_risky_patterns?: boolean;
      /** Sequences that are never completed. Each word is a tool or a word of its arguments: `["bash", "rm", "-rf", "/"]`; a tool's name begins the next call. Default: `[]`. */
      readonly blocked_sequences?: readonly (readonly string[])[];
      /** Tools the sentinel never refuses. Default: `[]`. */
      readonly allowlist?: readonly string[];
      /** Files that count as private besides keys, credentials and `.env`: globs. Once one was read and a stranger's text was, too, every way out asks. Default: `[]`. */
      readonly private_paths?: readonly string[];
    };
    readonly anomaly?: {
      /** Watch the failures of each tool. Default: `true`. */
      readonly enabled?: boolean;
      /** How many of a tool's last calls are looked at; it is judged once there are 10. Default: `20`. */
      readonly window_size?: number;
      /** The share of failures above which a tool is reported. Default: `0.7`. */
      readonly failure_threshold?: number;
      /** Refuse such a tool until `cooldown_secs` are over, or until `/unblock`. Default: `true`. */
      readonly auto_block?: boolean;
      /** Seconds after which a blocked tool comes back by itself. Its failures so far are forgotten then. Default: `600`. */
      readonly cooldown_secs?: number;
    };
    readonly utility?: {
      /** Skip calls that are expected to bring little. A call that is asked for again runs. Default: `false`. */
      readonly enabled?: boolean;
      /** Calls whose score is below this are skipped. Default: `0`. */
      readonly threshold?: number;
      /** Tools that are never skipped. Default: `["load_skill","invoke_skill"]`. */
      readonly exempt_tools?: readonly string[];
      /** How much what a call is expected to bring counts. Default: `1`. */
      readonly gain_weight?: number;
      /** How much what its answer is expected to take of the context counts. Default: `0.5`. */
      readonly cost_weight?: number;
      /** How much how much it repeats an earlier call counts. Default: `0.3`. */
      readonly redundancy_weight?: number;
      /** How much that a tool has hardly been used counts. Default: `0.2`. */
      readonly exploration_weight?: number;
    };
  };
  readonly llm?: {
    /** The name of the provider that is used when none is named; "" is the first one. Default: `""`. */
    readonly default?: string;
    /** The provider whose `embedding_model` turns texts into vectors, for memory and for choosing tools. "" is the first one that has an `embedding_model`; `packaged` is the npm package @energetic-ai/embeddings, if it is installed; `none` does without. Default: `""`. */
    readonly embedding_provider?: string;
    /** Models, written as `[[llm.providers]]` with `name`, `type` (anthropic, openai, gemini, ollama, compatible, script) and `model`; `base_url`, `api_key_env`, `context_tokens`, `max_output_tokens`, `reasoning`, `thinking_tokens`, `tool_use`, `input`, `images`, `api`, `price`, `embedding_model` and `timeout_secs` where wanted. docs/models.md explains them. Keys are never written here. Default: `[]`. */
    readonly providers?: readonly {
      readonly name: string;
      readonly type: "anthropic" | "openai" | "gemini" | "ollama" | "compatible" | "script";
      readonly model: string;
      readonly base_url?: string;
      readonly api_key_env?: string;
      readonly api_key?: unknown;
      readonly embedding_model?: string;
      readonly context_tokens?: number;
      readonly max_output_tokens?: number;
      /** Default: `false`. */
      readonly reasoning?: boolean;
      readonly thinking_tokens?: number;
      /** Default: `true`. */
      readonly tool_use?: boolean;
      readonly images?: boolean;
      readonly input?: readonly ("text" | "image" | "audio")[];
      /** Default: `"responses"`. */
      readonly api?: "responses" | "chat";
      readonly price?: {
        readonly input: number;
        readonly output: number;
        readonly cache_read?: number;
        readonly cache_write?: number;
      };
      /** Default: `300`. */
      readonly timeout_secs?: number;
    }[];
  };
  readonly agent?: {
    /** Most rounds of tool calls in one answer. Default: `100`. */
    readonly max_tool_iterations?: number;
    /** Most tokens of one request. A turn stops at 80 % of it, and a new turn sends less of the past. Unset: the model's `context_tokens`. */
    readonly context_budget_tokens?: number;
    /** Added to what every model is told at the beginning. Default: `""`. */
    readonly system_prompt?: string;
    /** Tell the model what AGENTS.md (else CLAUDE.md) says, in the folders from the repository's top to the workspace and in those below it when a file there is read, and your own beside your configuration. They grant nothing, and until `zeph trust` they count as a stranger's text. Default: `true`. */
    readonly instructions?: boolean;
    /** What every conversation works towards, as if it had been given with /plan. Default: `""`. */
    readonly goal_text?: string;
    /** The provider that summarises old messages and long outputs; "" is the one that answers. Default: `""`. */
    readonly compress_provider?: string;
    /** Warn about paths and names in a call that do not exist and that nobody mentioned. Names are identifiers (`order_ledger`, `UserService`), ids and mail addresses, where a call claims that they are there: in arguments that name something, among the words of a command, in the text an edit replaces. Text that is searched for or written does not count. It works only with a reasoning model, and refuses nothing. Default: `false`. */
    readonly hallucination_detection?: boolean;
    /** Treat every model as a reasoning model here. Otherwise a provider's `reasoning` decides. Default: `false`. */
    readonly reasoning_model_detection?: boolean;
    /** Zeph's own tools that a model is shown from the beginning of a conversation, in this order. It is told the names of the others and shown them when it calls them, finds them with `search_tools`, or a skill asks for them. An empty list shows all. Default: `["bash","background","read","write","edit","grep","find_path","list_directory","read_overflow","search_tools"]`. */
    readonly start_tools?: readonly string[];
    readonly tool_filter?: {
      /** Show the model only the tools that fit what was asked. It finds the others with `search_tools`. `auto` does so where there are more than 30 tools, and then chooses from those of servers and programs alone. Default: `"auto"`. */
      readonly enabled?: boolean | "auto";
      /** How many tools are chosen by rank, besides those that are shown anyway; 0 chooses all. Default: `10`. */
      readonly top_k?: number;
      /** A tool with a shorter description cannot be ranked and is always shown. Default: `3`. */
      readonly min_description_words?: number;
      /** Tools that the filter never leaves out. `compress_context` is one, whether it is listed or not. With `enabled = true` they are shown from the beginning; else those of Zeph's own that are not among `agent.start_tools` are shown once somebody asks for them. Default: `["memory_search","memory_save","load_skill","scheduler","compress_context"]`. */
      readonly always_on?: readonly string[];
      /** `bm25` ranks by words; `embeddings` by meaning, with `llm.embedding_provider`; `both` by the two together. Where meaning fails, words decide. Default: `"bm25"`. */
      readonly ranking?: "bm25" | "embeddings" | "both";
    };
    /** When a call failed because of how it was written, ask the model once in a turn to say what was wrong before it calls again. Default: `true`. */
    readonly self_reflection?: boolean;
    readonly schedule?: {
      /** Most open scheduled tasks of one folder. Default: `100`. */
      readonly max_tasks?: number;
      /** Most tasks that models may schedule in one session. Default: `10`. */
      readonly max_per_session?: number;
      /** Fewest seconds between two runs of a task that a model scheduled. `zeph schedule add` is not bound by it. Default: `300`. */
      readonly min_interval_secs?: number;
    };
  };
  readonly skills?: {
    /** Look for skills and offer them to the model. Default: `true`. */
    readonly enabled?: boolean;
    /** More folders to look for skills in. Always looked at: `skills` beside your user configuration, and `.zeph/skills`, `.agents/skills` and `.claude/skills` in your home and in the workspace. Default: `[]`. */
    readonly paths?: readonly string[];
    /** Variables that only the commands of one skill see: `[skills.env] deploy = ["DEPLOY_TOKEN"]`. Their values come from the environment or keys.toml. */
    readonly env?: { readonly [name: string]: readonly string[] };
  };
  /** Programs of yours that are told what happens (found on your PATH without the folders that commands may write), written as `[[hooks.<event>]]` with `command`, `match` (a glob on the tool's name), `timeout_ms` and `on_error`. They get JSON on standard input: the event, the tool and its arguments, the turn with the `history` of its commands, and what its results named so far (`parsed`: `urls`, `paths`, `json`). A `pre_tool` hook may deny: exit code 2, with the reason on standard error. A hook that fails in any other way (it is missing, cannot be run, takes too long, crashes, ends with another code, has a `match` that is not a glob) does what `on_error` says: `deny`, which is the default for `pre_tool`, or `warn`, the default elsewhere. For `post_tool` and `file_changed`, where the call has been run, `deny` withholds its result. */
  readonly hooks?: {
    readonly [name: string]: readonly {
      readonly command: string;
      readonly match?: string;
      /** Default: `5000`. */
      readonly timeout_ms?: number;
      readonly on_error?: "warn" | "deny";
    }[];
  };
  readonly clients?: {
    /** About agents whose commands run behind Zeph's walls (`zeph hook install --mode walls`). `true`: a command that no rule speaks of runs there without a question of the agent's. `false`: the agent asks as it does without Zeph. Default: `false`. */
    readonly answer_prompts?: boolean;
    /** Whether agents that Zeph governs may change the files of Zeph's own package, which judge them. `open` is for those who work on Zeph with such an agent. Default: `"closed"`. */
    readonly own_package?: "open" | "closed";
  };
  readonly mcp?: {
    /** MCP servers whose tools are offered, written as `[[mcp.servers]]`. See docs/mcp.md. Default: `[]`. */
    readonly servers?: readonly {
      readonly name: string;
      readonly command?: string;
      /** Default: `[]`. */
      readonly args?: readonly string[];
      readonly env?: { readonly [name: string]: string };
      /** streamable HTTP */
      readonly url?: string;
      readonly headers?: { readonly [name: string]: string };
      readonly client_id?: string;
      readonly client_secret?: string;
      /** Default: `"provisional"`. */
      readonly trust?: "untrusted" | "provisional" | "trusted";
      readonly tools?: readonly string[];
      /** Default: `60`. */
      readonly timeout_secs?: number;
      /** Default: `false`. */
      readonly network?: boolean | "install" | readonly string[];
      /** Default: `[]`. */
      readonly allow_read?: readonly string[];
      /** Default: `[]`. */
      readonly allow_write?: readonly string[];
      /** Default: `false`. */
      readonly sampling?: boolean | "ask" | "allow";
    }[];
    readonly sampling?: {
      /** Most requests of one server for the model while Zeph runs. Default: `20`. */
      readonly max_requests?: number;
      /** Most tokens that one server may use of the model while Zeph runs, requests and answers together. Default: `100000`. */
      readonly max_tokens?: number;
      /** Most tokens of one answer of the model to a server. It is cut there. Default: `4096`. */
      readonly max_answer_tokens?: number;
      /** How long the model may take for one answer to a server. The time of the person who is asked does not count. Default: `120`. */
      readonly timeout_secs?: number;
    };
  };
  readonly store?: {
    /** The SQLite file. Empty means `zeph/zeph.db` in the state folder (`$XDG_STATE_HOME` or `~/.local/state`). Default: `""`. */
    readonly path?: string;
    /** A database that machines share: `postgres://user@host/database`; `ZEPH_STORE` names it as well. Empty means the file alone. What is about this machine (trust, the ends of audit files) stays in the file. Default: `""`. */
    readonly url?: string;
  };
  readonly fleet?: {
    /** Where hints between machines go: `nats://host:4222`, several divided by commas. Empty means PostgreSQL's own notifications. Default: `""`. */
    readonly bus?: string;
    /** Whose sessions, tasks and memories this program sees in a shared store. Default: `"main"`. */
    readonly tenant?: string;
    /** How long a worker keeps a session without a sign of life. Longer: a crash is noticed later. Shorter: more false alarms. Default: `15000`. */
    readonly lease_ms?: number;
    /** How many sessions a worker works on at a time. Default: `8`. */
    readonly slots?: number;
    /** How often a worker looks for tasks when no hint comes. Default: `1000`. */
    readonly poll_ms?: number;
    /** How long a question waits for the answer of another person. After that it is a no. Default: `3600`. */
    readonly approval_secs?: number;
    /** Repositories whose own `.zeph/config.toml` may do more than tighten, by address; a `*` at the end stands for anything. Only for the policy of a fleet. Default: `[]`. */
    readonly trusted_repos?: readonly string[];
    readonly quota?: {
      /** Most tool calls of one person in a day (UTC), on all machines together. Unset means no limit. */
      readonly calls_per_day?: number;
      /** The same for people who have a number of their own: `ann = 5000`. */
      readonly people?: { readonly [name: string]: number };
    };
    readonly oidc?: {
      /** Whose access tokens `zeph serve` takes besides its own: the address of the issuer. Empty means nobody's. Default: `""`. */
      readonly issuer?: string;
      /** The audience that such a token has to name. Default: `""`. */
      readonly audience?: string;
      /** Where the issuer's keys are. Empty means that its discovery document says it. Default: `""`. */
      readonly jwks?: string;
      /** The claim that names the tenant. Default: `"tenant"`. */
      readonly tenant_claim?: string;
      /** The claim that names the person. Default: `"sub"`. */
      readonly person_claim?: string;
      /** The claim that lists groups. Default: `"groups"`. */
      readonly groups_claim?: string;
      /** The tenant of tokens that name none. Empty means that they are refused. Default: `""`. */
      readonly tenant?: string;
      readonly roles?: {
        /** Groups of the issuer whose people are `user`: they give tasks. Default: `[]`. */
        readonly user?: readonly string[];
        /** Groups of the issuer whose people are `approver`: they answer questions of others. Default: `[]`. */
        readonly approver?: readonly string[];
        /** Groups of the issuer whose people are `operator`: they govern the fleet. Default: `[]`. */
        readonly operator?: readonly string[];
        /** Groups of the issuer whose people are `auditor`: they read the audit log. Default: `[]`. */
        readonly auditor?: readonly string[];
      };
    };
    /** Where a worker keeps the folders of sessions; a worker alone has it. Empty means a folder below `~/.local/share/zeph-workspaces`. Default: `""`. */
    readonly workspaces?: string;
    /** How many folders of sessions that nobody works on a worker keeps for each tenant. The oldest go first; a session that comes back has its last snapshot. Default: `100`. */
    readonly keep_workspaces?: number;
    /** What the address of a repository may begin with. Workers fetch nothing else. Default: `["https://","ssh://"]`. */
    readonly repositories?: readonly string[];
    /** A folder that all workers see, for snapshots of folders that no repository takes. Empty means that these stay on their worker. Default: `""`. */
    readonly bundles?: string;
    /** Commands that make in a new folder what git ignores, such as dependencies. `repo` is what the repository's address begins with, `command` is run behind the walls, and what it made is used again as long as `files` are the same. Default: `[]`. */
    readonly setup?: readonly {
      readonly repo: string;
      readonly command: string;
      /** Default: `[]`. */
      readonly files?: readonly string[];
    }[];
    /** What the process of a tenant is started with on this worker: `user` is a system user of its own (the worker has to be root), `config` a configuration file in place of the worker's, `env` the names of variables that it gets besides the usual ones (without it, all). */
    readonly tenants?: {
      readonly [name: string]: {
        readonly user?: string;
        readonly config?: string;
        readonly env?: readonly string[];
      };
    };
    /** How many tasks of one tenant may wait. More are refused. Default: `20000`. */
    readonly max_queued?: number;
    /** A file with the private key (Ed25519, PEM) that signs where all copies of audit logs end, once a minute. `zeph fleet audit keygen` makes one. Empty: this process signs nothing. Default: `""`. */
    readonly checkpoint_key?: string;
    /** A file that gets a line for each signature: its number, its time and its root. Keep it where nobody who can change the database can change it. Default: `""`. */
    readonly checkpoint_log?: string;
  };
  readonly audit?: {
    /** The audit log. Empty means `zeph/audit.jsonl` in the state folder (`audit.memory.jsonl` where the store is kept in memory). Default: `""`. */
    readonly path?: string;
    /** Whether lines are copied to the database that `store.url` names, and when: within a second of being written, or before a call's result is returned, which costs a round trip and a commit for each call. Without `store.url` there is nothing to copy to. Default: `"after"`. */
    readonly ship?: "off" | "after" | "before";
  };
  readonly ui?: {
    /** How the chat is drawn. `auto`: with a status line, an editor and questions answered by a key, where there is a terminal for it. `plain`: line by line, for a screen reader. Default: `"auto"`. */
    readonly screen?: "auto" | "plain";
    /** Colours of the chat, for a dark or a light background. `auto` asks the variable COLORFGBG, else takes dark; NO_COLOR switches them off. Default: `"auto"`. */
    readonly theme?: "auto" | "dark" | "light" | "none";
    /** What tells you that the chat waits for you while its window is not in front. `auto`: the bell, and a notification of the terminal where it knows them. `bell`: the bell alone. Default: `"auto"`. */
    readonly notify?: "auto" | "bell" | "off";
    /** Whether the window's title says what the chat is doing. It is put back when the chat ends. Default: `true`. */
    readonly title?: boolean;
  };
}
