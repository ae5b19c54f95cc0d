import { type Finding, script, unknown, writes } from "./finding.ts";
import type { Word } from "./options.ts";

/** What setting a variable does to the commands that follow. Most do nothing; some name a program, some change which one runs. */
export function environment(name: string, value: Word): readonly Finding[] {
  if (RUNS.test(name)) return value === "" ? [] : script(value?.replace(/^\s*\|+-?/, "") ?? null, name);
  if (/^BASH_FUNC_/.test(name))
    return [...unknown(`setting ${name} changes what runs`), ...script(value?.replace(/^\s*\(\)\s*/, "") ?? null, name)];
  if (/^GIT_TRACE/.test(name)) return value === null || /^[/~]/.test(value) ? [writes(value)] : [];
  const calm = HARMLESS.find(([names]) => names.test(name));
  if (calm && value !== null && calm[1].test(value)) return [];
  return CHANGES.test(name) ? unknown(`setting ${name} changes what runs`) : [];
}

/** Their value is a command. */
const RUNS =
  /^(PAGER|MANPAGER|GIT_PAGER|BAT_PAGER|PSQL_PAGER|SYSTEMD_PAGER|EDITOR|VISUAL|FCEDIT|GIT_EDITOR|GIT_SEQUENCE_EDITOR|SUDO_EDITOR|PSQL_EDITOR|BROWSER|GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|GIT_PROXY_COMMAND|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|RSYNC_RSH|CVS_RSH|TAR_OPTIONS|MAKE_COMMAND)$/;

const CHANGES =
  /^(PATH|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|BASH_FUNC_.*|PS[0-4]|LD_.*|DYLD_.*|GIT_(CONFIG.*|EXEC_PATH|TEMPLATE_DIR|ALTERNATE_OBJECT_DIRECTORIES)|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|PYTHON(STARTUP|HOME|INSPECT|BREAKPOINT|WARNINGS|USERBASE)|PERL5(OPT|DB|LIB)|PERL_.*|RUBY(OPT|SHELL)|NODE_OPTIONS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|PHPRC|PHP_INI_SCAN_DIR|LUA_INIT.*|R_PROFILE.*|GEM_HOME|CARGO_BUILD_RUSTC.*|RUSTC_WRAPPER|RUSTC|CARGO_TARGET_.*_(LINKER|RUNNER)|npm_config_(script_shell|node_options|ignore_scripts)|SHELL|HOME|XDG_CONFIG_HOME|GIT_DIR|GIT_WORK_TREE|CDPATH|GLOBIGNORE|FPATH|ZDOTDIR|TERMINFO|MALLOC_.*)$/i;

/** Everyday values of variables that could do harm. */
const HARMLESS: readonly [RegExp, RegExp][] = [
  [
    /^NODE_OPTIONS$/,
    /^(\s*--(max[-_](old|semi)[-_]space[-_]size=\d+|stack[-_]size=\d+|enable-source-maps|no-warnings|no-deprecation|trace-[\w-]+|openssl-legacy-provider|unhandled-rejections=\w+|experimental-(vm-modules|specifier-resolution=\w+|strip-types))\s*)*$/,
  ],
  [/^PYTHONWARNINGS$/, /^[\w:,-]*$/],
  [/^(JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/, /^(\s*-X(mx|ms|ss)\d+[kmg]?\s*)*$/i],
  [/^GIT_CONFIG_(NOSYSTEM|GLOBAL|SYSTEM)$/, /^(\d|\/dev\/null)$/],
  [/^SHELL$/, /^(\/usr)?\/bin\/(ba|da|z)?sh$/],
  [/^MALLOC_ARENA_MAX$/, /^\d+$/],
];
