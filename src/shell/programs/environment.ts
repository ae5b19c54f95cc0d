import { confinedEffect, type ProgramFinding, script, unknownEffect, writes } from "../finding.ts";
import { mentionsForbidden } from "../mentions.ts";
import type { ShellWord } from "../options.ts";
import { underNames } from "./under-names.ts";

/** What setting a variable does to the commands that follow. Most do nothing; some name a program, some change which one runs. */
export function environment(name: string, value: ShellWord): readonly ProgramFinding[] {
  if (TABLES.test(name)) return [...unknownEffect(`setting ${name} changes what runs`), ...(value === null ? [] : script(value, name))];
  if (RUNS.test(name)) return value === "" ? [] : script(value?.replace(/^\s*\|+-?/, "") ?? null, name);
  const owner = OPTIONS[name];
  // Read as the options of the program that would read them.
  if (owner !== undefined) return value === "" ? [] : script(value === null ? null : `${owner} ${value}`, name);
  if (/^BASH_FUNC_/.test(name))
    return [...unknownEffect(`setting ${name} changes what runs`), ...script(value?.replace(/^\s*\(\)\s*/, "") ?? null, name)];
  if (/^GIT_TRACE/.test(name)) return value === null || /^[/~]/.test(value) ? [writes(value)] : [];
  const calm = HARMLESS.find(([names]) => names.test(name));
  if (calm && value !== null && calm[1].test(value)) return [];
  if (READS_BY.test(name)) return unknownEffect(`setting ${name} changes what runs`);
  const isElsewhere = value !== null && OUTSIDE.test(value);
  if (CHANGES.test(name) || NPM.test(name)) return (isElsewhere ? unknownEffect : confinedEffect)(`setting ${name} changes what runs`);
  // Folders of the project are its own code; code from elsewhere is not, and neither are files of settings, which name programs.
  return (FOLDERS.test(name) || SETTINGS.test(name)) && isElsewhere ? unknownEffect(`${name} loads code from outside the project`) : [];
}

/** Names a place that is neither the project's nor the system's. */
const OUTSIDE = /(^|[:=\s])(?!\/(tmp|usr\/(lib|local\/lib|share))\/)[/~]/;

/** The same, and it reaches a program: no list of such variables is complete, so a forbidden program in any of them is asked about. */
export function exported(name: string, value: ShellWord): readonly ProgramFinding[] {
  const found = environment(name, value);
  if (found.length > 0 || value === null || !mentionsForbidden(value)) return found;
  return unknownEffect(`the variable ${name} names a program that is never run`);
}

/** Bash looks up in these what a name runs. */
const TABLES = /^BASH_(ALIASES|CMDS)$/;

/** Their value is a command. */
const RUNS =
  /^((GIT_|MAN|BAT_|PSQL_|SYSTEMD_|GH_|GLAB_|AWS_|DELTA_|HG_?)?PAGER|(GIT_|GIT_SEQUENCE_|SUDO_|PSQL_|SYSTEMD_|GH_|SVN_|CVS|HG|FC|KUBE_|JULIA_)?EDITOR|VISUAL|FCEDIT|HGEDITOR|(GH_|GIT_)?BROWSER|GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_MAN_VIEWER|GIT_PROXY_COMMAND|(GIT_|SSH_|SUDO_)ASKPASS|SSH_(SK|PKCS11)_HELPER|LESSOPEN|LESSCLOSE|LESSEDIT|PROMPT_COMMAND|RSYNC_RSH|RSYNC_CONNECT_PROG|CVS_RSH|SVN_SSH|HGMERGE|KUBECTL_EXTERNAL_DIFF|FZF_\w*COMMAND|MAKE|MAKE_COMMAND|MAKESHELL|CONFIG_SHELL|CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|OBJCOPY|FC|F77|LEX|FLEX|YACC|BISON|M4|AWK|SED|PERL|PYTHON|RUBY|INSTALL|LIBTOOL|PKG_CONFIG|AUTO(CONF|MAKE|HEADER|M4TE|RECONF)|ACLOCAL|CMAKE_\w+_(COMPILER|LAUNCHER)|CMAKE_MAKE_PROGRAM|RUSTC|RUSTDOC|RUSTC_(WORKSPACE_)?WRAPPER|CARGO_BUILD_(RUSTC|RUSTDOC|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER)|CARGO_TARGET_\w+_(LINKER|RUNNER)|HARNESS_PERL|JAVACMD|CCACHE_(PREFIX|COMPILER|PREFIX_CPP)|PARALLEL_(SHELL|SSH)|PERL5SHELL|RUBYSHELL|COLLECT_GCC|DPKG_PAGER|LYNX_EDITOR|WINEDITOR|TEXEDIT)$/;

/** Their value is more options for one program. */
const OPTIONS: Record<string, string> = {
  TAR_OPTIONS: "tar",
  MANOPT: "man",
  LESS: "less",
  MORE: "more",
  BAT_OPTS: "bat",
  FZF_DEFAULT_OPTS: "fzf",
  PARALLEL: "parallel",
  GREP_OPTIONS: "grep",
  ZIPOPT: "zip",
  GOFLAGS: "go build",
  GS_OPTIONS: "gs",
  ...underNames("RUSTFLAGS RUSTDOCFLAGS", "rustc"),
  ...underNames("CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CGO_CFLAGS CGO_LDFLAGS", "gcc"),
  ...underNames("MAKEFLAGS GNUMAKEFLAGS MFLAGS", "make"),
  ...underNames("MAVEN_OPTS GRADLE_OPTS SBT_OPTS ANT_OPTS JAVA_OPTS", "java"),
};

/** They change how the shell itself reads what follows. */
const READS_BY = /^(IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|BASH_ARGV0|BASH_LOADABLES_PATH|EXECIGNORE|GLOBIGNORE|PS[0-4])$/;

/** They change where programs, libraries, settings or code come from. Letters count: `path` and `env` are ordinary names in bash. */
const CHANGES =
  /^(PATH|LD_.*|DYLD_.*|GIT_(CONFIG.*|EXEC_PATH|TEMPLATE_DIR|ALTERNATE_OBJECT_DIRECTORIES|ALLOW_PROTOCOL|PROTOCOL_FROM_USER|ATTR_SOURCE|DIR|WORK_TREE|COMMON_DIR)|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|GLIBC_TUNABLES|PYTHON(STARTUP|HOME|INSPECT|BREAKPOINT|WARNINGS|USERBASE|EXECUTABLE|PLATLIBDIR|PYCACHEPREFIX)|PYTEST_(PLUGINS|ADDOPTS)|PIP_CONFIG_FILE|PERL5(DB|OPT)|HARNESS_PERL_SWITCHES|RUBYOPT|PERL_.*|NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_HOME|GROOVY_HOME|PHPRC|PHP_INI_SCAN_DIR|LUA_INIT.*|R_PROFILE.*|R_ENVIRON.*|(ELIXIR_)?ERL_\w*(FLAGS|OPTIONS)|BUNDLE_GEMFILE|GEM_HOME|CARGO_ENCODED_RUSTFLAGS|CARGO_HOME|CARGO|RUSTUP_(TOOLCHAIN|HOME)|GOROOT|GOTOOLDIR|GOENV|GOTOOLCHAIN|YARN_(YARN_PATH|RC_FILENAME|PLUGINS)|COREPACK_HOME|HARNESS_SUBCLASS|MAKEFILES|CMAKE_(TOOLCHAIN_FILE|PROJECT_\w*INCLUDE\w*)|RIPGREP_CONFIG_PATH|BAT_CONFIG_(PATH|DIR)|FZF_DEFAULT_OPTS_FILE|ACKRC|LESSKEY.*|INPUTRC|PSQLRC|MYSQL_HOME|APT_CONFIG|OPENSSL_(CONF|ENGINES|MODULES)|SASL_PATH|GTK_(MODULES|PATH)|QT_PLUGIN_PATH|GIO_EXTRA_MODULES|MAGICK_CONFIGURE_PATH|GS_LIB|TEXMFCNF|TEXMFHOME|GCC_EXEC_PREFIX|COMPILER_PATH|CCC_OVERRIDE_OPTIONS|CCACHE_CONFIGPATH|SSH_SK_PROVIDER|AWKLIBPATH|DOCKER_CONFIG|KUBECONFIG|AWS_CONFIG_FILE|HELM_PLUGINS|TF_CLI_CONFIG_FILE|ANSIBLE_(CONFIG|LIBRARY|\w+_PLUGINS)|SHELL|HOME|XDG_CONFIG_(HOME|DIRS)|XDG_DATA_DIRS|CDPATH|FPATH|ZDOTDIR|TERMINFO|TERMCAP|MALLOC_.*)$/;

/** npm takes its settings from variables in any case; these name programs or files of settings. */
const NPM =
  /^npm_config_(script_shell|node_options|ignore_scripts|shell|editor|git|browser|viewer|userconfig|globalconfig|prefix|node_gyp|init_module|python)$/i;

/** Lists of folders code is loaded from. */
const FOLDERS =
  /^(PYTHONPATH|PERL5LIB|PERLLIB|RUBYLIB|GEM_PATH|NODE_PATH|CLASSPATH|LUA_C?PATH|TCLLIBPATH|JULIA_LOAD_PATH|AWKPATH|PKG_CONFIG_PATH|CMAKE_MODULE_PATH|ERL_LIBS)$/;

/** By their names: files of settings, and folders of plugins and hooks. */
const SETTINGS =
  /([A-Z]RC|CONF(IG)?(_?(FILE|PATH|DIR|HOME))?|_CFG|INIT|PLUGINS?|HOOKS?(_PATH)?|LOADPATH|RUNTIME|INPUTS|SHELL_PATH)$|^(VIM|XDG_DATA_HOME|NIX_PATH|PYENV_ROOT|LIBRARY_PATH)$/;

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
  [/^JAVA_HOME$/, /^\/(usr\/lib\/jvm|Library\/Java)\/[\w.+/-]+$|^$/],
  [/^MALLOC_ARENA_MAX$/, /^\d+$/],
  [/^RUBYOPT$/, /^(\s*-(w|W:?[\w-]*|-(yjit|enable=[\w-]+|disable=[\w-]+))\s*)*$/],
  [/^(RUSTUP_TOOLCHAIN|GOTOOLCHAIN)$/, /^[\w.+-]+$/],
  [/^PYTEST_ADDOPTS$/, /^(\s*(-[qvxs]+|--(tb|color|maxfail|durations)=\w+|-n\s?\w+)\s*)*$/],
  [/^RIPGREP_CONFIG_PATH$/, /^(\/dev\/null)?$/],
  [/^KUBECONFIG$/, /^(~\/\.kube\/[\w.-]+|[\w.][\w./-]*)$/],
  [/^npm_config_python$/i, /^python[\d.]*$/],
];
