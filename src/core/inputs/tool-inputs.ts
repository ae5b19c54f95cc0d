// Made from the tools by `npm run docs`.

/**
 * What Zeph's own tools take, by name. `zeph.call` knows no other names; a program adds those of its own tools by declaring this interface again:
 * `declare module "zeph" { interface ToolInputs { count_words: { path: string } } }`.
 */
export interface ToolInputs {
  readonly bash: {
    readonly command: string;
    /** Seconds it may take, at most 600 (120) */
    readonly timeout?: number;
    /** Start it and return at once */
    readonly background?: boolean;
  };
  readonly background: {
    readonly action: "list" | "read" | "wait" | "kill";
    /** Not for list */
    readonly run_id?: string;
    /** How long to wait, at most 600 (30) */
    readonly seconds?: number;
  };
  readonly read_overflow: {
    /** The id after overflow:, or raw#n */
    readonly id: string;
    /** Characters from 0: "0-20000", "20000-", "-2000" for the last */
    readonly range?: string;
    /** Lines from 1, in the same way */
    readonly lines?: string;
    /** Only lines that match (RE2) */
    readonly pattern?: string;
    /** Lines around each match, up to 20 */
    readonly context?: number;
    /** A place in JSON: $.a['b c'][0], [-1], [*] */
    readonly json_path?: string;
  };
  readonly read: {
    readonly path?: string;
    /** Several files at once, up to 20 */
    readonly paths?: readonly string[];
    /** First line, from 1 */
    readonly offset?: number;
    /** Most lines */
    readonly limit?: number;
  };
  readonly write: {
    readonly path: string;
    readonly content: string;
  };
  readonly edit: {
    readonly path: string;
    /** Exactly as in the file, without line numbers */
    readonly old_string: string;
    readonly new_string: string;
    readonly replace_all?: boolean;
  };
  readonly grep: {
    readonly pattern: string;
    /** The file or folder to search */
    readonly path?: string;
    /** false ignores case */
    readonly case_sensitive?: boolean;
    /** Only such files, as "*.ts" */
    readonly glob?: string;
    /** Lines around each match, up to 20 */
    readonly context?: number;
    /** Most matches (100) */
    readonly limit?: number;
  };
  readonly search_code: {
    /** Words or a name, for example "retry jitter" or "parseHeader" */
    readonly query: string;
    /** The file or folder to search */
    readonly path?: string;
    /** Most places to return, up to 50 (10) */
    readonly limit?: number;
  };
  readonly find_path: {
    readonly pattern: string;
    /** The folder to search */
    readonly path?: string;
    /** Most paths (200) */
    readonly limit?: number;
  };
  readonly list_directory: {
    readonly path?: string;
  };
  readonly create_directory: {
    /** The folder to create */
    readonly path: string;
  };
  readonly move_path: {
    /** What to move */
    readonly source: string;
    /** Its new path */
    readonly destination: string;
  };
  readonly copy_path: {
    /** What to copy */
    readonly source: string;
    /** The path of the copy */
    readonly destination: string;
  };
  readonly delete_path: {
    /** What to delete */
    readonly path: string;
  };
  readonly diagnostics: {
    /** "check" (default): compile and type errors; "lint" or "clippy": what the linters find */
    readonly kind?: "check" | "lint" | "clippy";
    /** Most findings to list; the rest is counted */
    readonly max_diagnostics?: number;
    /** Only findings in this file or folder */
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
    /** What it should do, or its name */
    readonly query: string;
    /** Up to 20 (5) */
    readonly limit?: number;
  };
}
