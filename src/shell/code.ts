interface Language {
  /** The option whose next word is code. */
  readonly inline: RegExp;
  /** Code in the same word as the option. */
  readonly attached?: RegExp;
  /** Other options that take the next word. */
  readonly values?: RegExp;
  /** Words that reach beyond computing and printing. */
  readonly harm: RegExp;
}

const PYTHON =
  /\bopen\b(?!\s*\(\s*""\s*(,\s*encoding\s*=\s*""\s*)?\))|\b(exec|eval|compile|__\w+__|getattr|setattr|globals|locals|vars|breakpoint|input|help|modules|os|subprocess|shutil|pathlib|socket|ctypes|codecs|runpy)\b|\bimport\b(?!\s+(json|sys|re|math|datetime|time|random|string|textwrap|itertools|functools|collections|statistics|decimal|fractions|base64|hashlib|uuid|platform|calendar|bisect|heapq|typing|pprint|unicodedata|struct|zlib|html|csv|tomllib|yaml|operator|enum|dataclasses|secrets)\b\s*($|[\n;,)#]|as\b|import\b))/;
const NODE =
  /\b(require|import|eval|Function|constructor|process\s*(\.|\[)\s*(?!(version|versions|platform|arch|argv|stdout|uptime|memoryUsage|hrtime|cwd|exitCode)\b)|fetch|WebSocket|child_process|fs|globalThis|global|module|Worker|WebAssembly|mainModule|binding|dlopen)\b|`/;
const PERL =
  /\b(system|exec|fork|open|opendir|unlink|rename|rmdir|mkdir|chmod|chown|link|symlink|kill|qx|eval|require|do|socket|syscall|glob|truncate|utime|dbmopen|sysopen|pipe|ioctl|BEGIN|END|CORE)\b|`|<[^>\s=]*>|\buse\b(?!\s+(strict|warnings|utf8|feature|integer|List::Util|POSIX|Data::Dumper|JSON::PP|Time::HiRes)\b)|\/[a-z]*ee/;
const RUBY =
  /\b(system|exec|spawn|fork|open|popen\d?|eval|instance_eval|class_eval|send|__send__|public_send|require|require_relative|load|File|Dir|IO|FileUtils|Kernel|Process|Socket|Net|URI|ObjectSpace|binding|syscall|trap|at_exit|Open3|PTY|const_get|method)\b|`|%x/;
const PHP =
  /\b(system|exec|shell_exec|passthru|proc_open|popen|eval|assert|include(_once)?|require(_once)?|file_put_contents|file_get_contents|fopen|file|readfile|unlink|rename|rmdir|mkdir|copy|chmod|curl_\w+|fsockopen|pcntl_\w+|mail|create_function|call_user_func(_array)?|dl|putenv|array_map|preg_replace_callback|ini_set)\b|`/;

/** Interpreters that take code as an argument. */
export const LANGUAGES: Record<string, Language> = {
  ...family(
    [
      "python",
      "python2",
      "python3",
      "pypy",
      "pypy3",
      "python3.8",
      "python3.9",
      "python3.10",
      "python3.11",
      "python3.12",
      "python3.13",
      "python3.14",
    ],
    {
      inline: /^-[bBdEhiIOPqsSuvVx]*c$/,
      attached: /^-[bBdEiIOPqsSuvx]*c(.+)$/s,
      values: /^-[mWX]$/,
      harm: PYTHON,
    },
  ),
  ...family(["node", "nodejs"], {
    inline: /^(-e|-p|-pe|--eval|--print)$/,
    attached: /^--(?:eval|print)=(.*)$/s,
    values: /^(-r|--require|--import|-C)$/,
    harm: NODE,
  }),
  ...family(["deno", "bun"], { inline: /^(-e|--eval|-p|--print|eval)$/, harm: NODE }),
  ...family(["perl", "perl5"], {
    inline: /^-[acCFlnpsStTuUwWX0-9]*[eE]$/,
    attached: /^-[acnplsw0]*[eE](.+)$/s,
    values: /^-I$/,
    harm: PERL,
  }),
  ...family(["ruby", "jruby"], { inline: /^-[aclnpsSvwW0-9]*e$/, attached: /^-[aclnpsw]*e(.+)$/s, values: /^-[rIC]$/, harm: RUBY }),
  php: { inline: /^(-r|-R|-B|-E|--run)$/, values: /^-[dcz]$/, harm: PHP },
  ...family(["lua", "luajit", "lua5.3", "lua5.4"], {
    inline: /^-e$/,
    values: /^-l$/,
    harm: /\b(os|io|load\w*|dofile|require|package|debug|_G|_ENV)\b/,
  }),
  ...family(
    [
      "osascript",
      "rscript",
      "julia",
      "tclsh",
      "expect",
      "guile",
      "racket",
      "elixir",
      "scala",
      "groovy",
      "ghc",
      "erl",
      "swift",
      "pwsh",
      "powershell",
    ],
    {
      inline: /^(-e|-c|-eval|--eval|-E|-Command|-command)$/,
      harm: /(?:)/,
    },
  ),
};

function family(names: readonly string[], language: Language): Record<string, Language> {
  return Object.fromEntries(names.map((name) => [name, language]));
}

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
