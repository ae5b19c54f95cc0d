import { confinedEffect, type ProgramFinding, unknownEffect } from "../finding.ts";
import { mentionsForbidden } from "../mentions.ts";
import type { ShellWord } from "../options.ts";
import { underNames } from "./under-names.ts";

export interface Language {
  /** The option whose next word is code. */
  readonly inline: RegExp;
  /** Code in the same word as the option. */
  readonly attached?: RegExp;
  /** Other options that take the next word. */
  readonly values?: RegExp;
  /** Options, with their value, that load or define code. */
  readonly loads?: RegExp;
  /** With this option it goes on reading code from its input. */
  readonly prompts?: RegExp;
  /** A word before the program that says what to do with it. */
  readonly verbs?: RegExp;
  /** Words that reach beyond computing and printing. */
  readonly harm: RegExp;
}

export const PYTHON =
  /\bopen\b(?!\s*\(\s*""\s*(,\s*encoding\s*=\s*""\s*)?\))|\b(exec|eval|compile|__\w+__|getattr|setattr|globals|locals|vars|breakpoint|input|help|modules|os|subprocess|shutil|pathlib|socket|ctypes|codecs|runpy)\b|\bimport\b(?!\s+(json|sys|re|math|datetime|time|random|string|textwrap|itertools|functools|collections|statistics|decimal|fractions|base64|hashlib|uuid|platform|calendar|bisect|heapq|typing|pprint|unicodedata|struct|zlib|html|csv|tomllib|yaml|operator|enum|dataclasses|secrets)\b\s*($|[\n;,)#]|as\b|import\b))/;
const NODE =
  /\b(require|import|eval|Function|constructor|process\s*(\.|\[)\s*(?!(version|versions|platform|arch|argv|stdout|uptime|memoryUsage|hrtime|cwd|exitCode)\b)|fetch|WebSocket|child_process|fs|Deno|Bun|globalThis|global|module|Worker|WebAssembly|mainModule|binding|dlopen)\b|`/;
const PERL =
  /\b(system|exec|fork|open|opendir|unlink|rename|rmdir|mkdir|chmod|chown|link|symlink|kill|qx|eval|require|do|socket|syscall|glob|truncate|utime|dbmopen|sysopen|pipe|ioctl|BEGIN|END|CORE)\b|`|<[^>\s=]*>|\buse\b(?!\s+(strict|warnings|utf8|feature|integer|List::Util|POSIX|Data::Dumper|JSON::PP|Time::HiRes)\b)|\/[a-z]*ee/;
const RUBY =
  /\b(system|exec|spawn|fork|open|popen\d?|eval|instance_eval|class_eval|send|__send__|public_send|require|require_relative|load|File|Dir|IO|FileUtils|Kernel|Process|Socket|Net|URI|ObjectSpace|binding|syscall|trap|at_exit|Open3|PTY|const_get|method)\b|`|%x/;
const PHP =
  /\b(system|exec|shell_exec|passthru|proc_open|popen|eval|assert|include(_once)?|require(_once)?|file_put_contents|file_get_contents|fopen|file|readfile|unlink|rename|rmdir|mkdir|copy|chmod|curl_\w+|fsockopen|pcntl_\w+|mail|create_function|call_user_func(_array)?|dl|putenv|array_map|preg_replace_callback|ini_set)\b|`|\$\w+\s*\(/;

/** Interpreters that take code as an argument. Python has a file of its own, for its modules. */
export const LANGUAGES: Record<string, Language> = {
  ...underNames("node nodejs", {
    inline: /^(-e|-p|-pe|--eval|--print)$/,
    attached: /^(?:--(?:eval|print)=|-p?e(?=\W))(.*)$/s,
    values:
      /^(-r|-C|--(require|import|loader|experimental-loader|conditions|env-file(-if-exists)?|title|input-type|inspect-port|watch-path|test-(name-pattern|reporter|reporter-destination|concurrency|timeout)|icu-data-dir|redirect-warnings|trace-event-categories|tls-cipher-list|disable-warning|diagnostic-dir|heapsnapshot-signal|stack-trace-limit|openssl-config|secure-heap|unhandled-rejections|dns-result-order))$/,
    loads:
      /^(?:-r|--(?:require|import|loader|experimental-loader)(?:=|$))(?!(?:node:)?[\w@.-][\w@./-]*$)|^--(openssl-config|test-reporter=(?!\w+$|[\w@.-][\w@./-]*$))|^(data|https?):/,
    prompts: /^(-i|--interactive)$/,
    harm: NODE,
  }),
  ...underNames("deno bun", {
    inline: /^(-e|--eval|-p|--print|eval)$/,
    attached: /^--(?:eval|print)=(.*)$/s,
    values: /^(-c|--config|--cwd|--preload|-r|--require)$/,
    loads: /^(data|https?):|^--(preload|require|import)=\w+:/,
    verbs: /^(run|repl|test|bench|serve|watch)$/,
    harm: NODE,
  }),
  ...underNames("perl perl5", {
    inline: /^-[acCFlnpsStTuUwWX0-9]*[eE]$/,
    attached: /^-[acnplsw0]*[eE](.+)$/s,
    values: /^-[IC]$/,
    loads: /^-[a-ln-zA-LN-Z]*[mM](?!-?[\w:]+(=[\w,:./!-]*)?$)|^-[acnlpsw0]*d|^-[alnp]*F.*\(\?|^-[a-z]*S/s,
    harm: PERL,
  }),
  ...underNames("ruby jruby", {
    inline: /^-[aclnpsSvwW0-9]*e$/,
    attached: /^-[aclnpsw]*e(.+)$/s,
    values: /^-[rICEK]$/,
    loads: /^-[a-z]*S|^-r\s*[/~]/,
    harm: RUBY,
  }),
  php: {
    inline: /^(-r|-R|-B|-E|--run)$/,
    attached: /^-[rRBE](?=\W)(.*)$/s,
    values: /^-[dcztF]$/,
    loads:
      /^-d\s*(?!(memory_limit|display_errors|error_reporting|max_execution_time|date\.timezone|xdebug\.mode|opcache\.\w+|zend\.assertions|assert\.\w+|short_open_tag|variables_order|pcov\.\w+|precision|log_errors|html_errors|phar\.readonly|output_buffering|default_charset)=)|^-c\s*[/~]/,
    prompts: /^(-a|--interactive)$/,
    harm: PHP,
  },
  ...underNames("lua luajit texlua", {
    inline: /^-e$/,
    attached: /^-e(.+)$/s,
    values: /^-l$/,
    prompts: /^-i$/,
    harm: /\b(os|io|load\w*|dofile|require|package|debug|_G|_ENV)\b/,
  }),
  ...underNames(
    `osascript rscript r julia tclsh wish jimsh expect guile racket elixir iex scala kotlin groovy ghc ghci runghc runhaskell erl
    swift pwsh powershell ocaml octave sbcl clisp ecl raku jrunscript jshell crystal irb pry ipython ptpython bpython tsx ts-node
    coffee`,
    {
      inline: /^(-e|-c|-x|-p|-pe|-eval|--eval|-E|-Command|-command|--execute|--print|eval|-run)$/,
      attached: /^--(?:eval|execute)=(.*)$/s,
      values: /^-[rl]$/,
      verbs: /^run$/,
      harm: /(?:)/,
    },
  ),
};

/** Text in quotes is only text: `print("sudo")` runs nothing. */
export const isHarmless = (code: string, harm: RegExp): boolean =>
  code.length <= 4096 && !harm.test(withoutStrings(code.replace(JSON_FILE, '""')));

const JSON_FILE = /\brequire\(\s*(["'])[\w@./-]+\.json\1\s*\)/g;

/** A string that holds expressions, as `f"{x}"` or `"#{x}"` do, is code and stays. */
const withoutStrings = (code: string): string =>
  code.replace(/([a-zA-Z]{0,2})("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g, (all, prefix: string, text: string) => {
    const isCode = /f/i.test(prefix) || (text[0] === '"' && /[#@$%]\S*[[{(]|\{\$/.test(text));
    return isCode ? all : `${prefix}""`;
  });

/** Code that nobody has read: behind walls it is like any script of the project, unless it names a program that is never run. */
export const unreadCode = (code: ShellWord, program: string): ProgramFinding[] =>
  code !== null && mentionsForbidden(code)
    ? unknownEffect(`${program} runs code that names a program which is never run`)
    : confinedEffect(`${program} runs code that could do anything`);
