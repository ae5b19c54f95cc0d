// Made from the tools by `npm run docs`.

/**
 * What Zeph's own tools take, by name. `zeph.call` knows no other names; a program adds those of its own tools by declaring this interface again:
 * `declare module "zeph" { interface ToolInputs { count_words: { path: string } } }`.
 */
export interface ToolInputs {
  readonly bash: {
    /** The command, as bash reads it */
    readonly command: string;
    /** Seconds it may take, at most 600 (120); for builds and tests that take long */
    readonly timeout?: number;
    /** true starts it and returns at once; the tool `background` looks after it */
    readonly background?: boolean;
  };
  readonly background: {
    readonly action: "list" | "read" | "wait" | "kill";
    /** Which run; not for list */
    readonly run_id?: string;
    /** How long to wait, up to 600 (30) */
    readonly seconds?: number;
  };
  readonly read_overflow: {
    /** What follows `overflow:` in a note, or raw#n */
    readonly id: string;
    /** Characters from 0: "0-20000", "20000-" to the end, "-2000" for the last */
    readonly range?: string;
    /** Lines from 1: "10-40", "10-" to the end, "-40" for the last */
    readonly lines?: string;
    /** Only lines that match this regular expression (RE2; (?i) ignores case) */
    readonly pattern?: string;
    /** With pattern: lines around each match, up to 20 */
    readonly context?: number;
    /** A place in JSON text: $.a.b[0].c, $['a b'], [-1] from the end, [*] for all */
    readonly json_path?: string;
  };
  readonly read: {
    /** The file to read, absolute or relative */
    readonly path: string;
    /** First line to return, from 1 */
    readonly offset?: number;
    /** Most lines to return */
    readonly limit?: number;
  };
  readonly write: {
    /** The file to write, absolute or relative */
    readonly path: string;
    /** The whole new content */
    readonly content: string;
  };
  readonly edit: {
    /** The file to change, absolute or relative */
    readonly path: string;
    /** The text to replace, exactly as it stands in the file, without line numbers */
    readonly old_string: string;
    /** The text to put in its place */
    readonly new_string: string;
    /** Replace every occurrence */
    readonly replace_all?: boolean;
  };
  readonly grep: {
    /** The regular expression */
    readonly pattern: string;
    /** The file or folder to search, absolute or relative */
    readonly path?: string;
    /** false ignores case (default true) */
    readonly case_sensitive?: boolean;
    /** Only files that match, for example "*.ts" */
    readonly glob?: string;
    /** Lines to show around each match, up to 20 */
    readonly context?: number;
    /** Most matches to return (100) */
    readonly limit?: number;
  };
  readonly search_code: {
    /** Words or a name, for example "retry jitter" or "parseHeader" */
    readonly query: string;
    /** The file or folder to search, absolute or relative */
    readonly path?: string;
    /** Most places to return, up to 50 (10) */
    readonly limit?: number;
  };
  readonly find_path: {
    /** The folder to search in, absolute or relative */
    readonly path: string;
    /** The glob */
    readonly pattern: string;
    /** Most paths to return (200) */
    readonly limit?: number;
  };
  readonly list_directory: {
    /** The folder to list, absolute or relative */
    readonly path: string;
  };
  readonly create_directory: {
    /** The folder to create, absolute or relative */
    readonly path: string;
  };
  readonly move_path: {
    /** What to move, absolute or relative */
    readonly source: string;
    /** Its new path, absolute or relative */
    readonly destination: string;
  };
  readonly copy_path: {
    /** What to copy, absolute or relative */
    readonly source: string;
    /** The path of the copy, absolute or relative */
    readonly destination: string;
  };
  readonly delete_path: {
    /** What to delete, absolute or relative */
    readonly path: string;
  };
  readonly diagnostics: {
    /** "check" (default): compile and type errors; "lint" or "clippy": what the linters find */
    readonly kind?: "check" | "lint" | "clippy";
    /** Most findings to list; the rest is counted */
    readonly max_diagnostics?: number;
    /** Only findings in this file or folder, absolute or relative */
    readonly path?: string;
  };
  readonly fetch: {
    /** The https URL, as the user or a tool result gave it */
    readonly url: string;
    /** markdown keeps headings, links, tables and code (default); text is shorter */
    readonly format?: "markdown" | "text";
  };
  readonly web_scrape: {
    /** The https URL, as the user or a tool result gave it */
    readonly url: string;
    /** A CSS selector, for example "h2 a" */
    readonly select: string;
    /** What to take of each match: "text" (default), "html", or "attr:<name>", for example "attr:href" */
    readonly extract?: string;
    /** Most matches to return (10) */
    readonly limit?: number;
  };
  readonly memory_search: {
    /** Words, or a question */
    readonly query: string;
    /** How many, up to 50 (8) */
    readonly limit?: number;
  };
  readonly memory_save: {
    /** What to remember, in words that will be understood without this conversation */
    readonly content: string;
    /** Also in other folders (false) */
    readonly everywhere?: boolean;
  };
  readonly load_skill: {
    /** The skill's name */
    readonly name: string;
  };
  readonly invoke_skill: {
    /** The skill's name */
    readonly name: string;
    /** What to do with it, and what it needs to know */
    readonly input?: string;
  };
  readonly scheduler: {
    /** What to do then, in words that explain themselves */
    readonly task: string;
    /** A cron line, a time, or words: in 20 minutes, tomorrow at 9, every weekday at 17:30 */
    readonly when: string;
  };
  readonly update_plan: {
    /** Its number in the plan */
    readonly task: number;
    readonly status: "active" | "done" | "failed" | "open";
    /** What came of it, in a few words */
    readonly note?: string;
  };
  readonly compress_context: {
    /** What the summary must keep above all */
    readonly focus?: string;
  };
  readonly search_tools: {
    /** What the tool should do, or its name */
    readonly query: string;
    /** Most tools to find, up to 20 (5) */
    readonly limit?: number;
  };
}
