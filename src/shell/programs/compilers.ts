import { type Circumstances, type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { optionValues, readOptions, type ShellWord } from "../options.ts";
import { isInput } from "../relative-path.ts";
import { underNames } from "./under-names.ts";

/** Compilers and build tools: which program they start for a step can be said in their arguments. */
export const COMPILERS: Record<string, ProgramReader> = {
  ...underNames("gcc g++ cc c++ clang clang++ cpp gfortran c89 c99 gdc", compiler),
  ...underNames("ld gold lld ar nm ranlib", linker),
  rustc: (args) => codegen(args),
  cargo,
  go,
  ...underNames("make gmake bmake pmake remake", make),
  configure: (args) => variables(args, "configure"),
  ...underNames("cmake cmake3", cmake),
  ctest: (args) => [
    ...(args.includes("--test-command") ? runsProgram(args.slice(args.indexOf("--test-command") + 1), "ctest") : []),
    ...optionValues(readOptions(args, "--build-makeprogram"), "--build-makeprogram").flatMap((text) => script(text, "ctest")),
  ],
  ...underNames("ninja samu", fromInput(/^-f$/)),
  meson: fromInput(/^--(native|cross)-file$/),
  ...underNames("mvn mvnw gradle gradlew ant sbt", properties),
};

/** `-wrapper cmd,arg` runs it in front of every step; plugins and spec files are code. */
function compiler(args: readonly ShellWord[], program: string): readonly ProgramFinding[] {
  return args.flatMap((arg, i) => {
    if (arg === null) return [];
    if (/^--?wrapper$/.test(arg)) return runsProgram((args[i + 1] ?? null)?.split(",") ?? [null], `${program} -wrapper`);
    const [, tool] = /^(?:-fuse-ld|--ld-path)=(.*\/.*)$/s.exec(arg) ?? [];
    if (tool !== undefined) return runsProgram([tool], `${program} -fuse-ld`);
    const [, named] = /^-fuse-ld=(sudo|su|doas)$/.exec(arg) ?? [];
    if (named !== undefined) return runsProgram([named], `${program} -fuse-ld`);
    const loads = /^(-B|-fplugin=|--?specs(=|$)|-iplugindir=|-fpass-plugin=|-load$|-Xclang=-load|@.)/.test(arg);
    return loads ? unknownEffect(`${program} ${arg} makes it run or load other programs`) : [];
  });
}

function linker(args: readonly ShellWord[], program: string): readonly ProgramFinding[] {
  return args.some((arg) => arg !== null && /^--?plugin(=|$)|^@./.test(arg)) ? unknownEffect(`${program} loads code it is given`) : [];
}

/** `-C linker=cmd`, `-Clinker=cmd`, `--codegen linker=cmd`. */
function codegen(args: readonly ShellWord[]): readonly ProgramFinding[] {
  return optionValues(readOptions(args, "CLlOoWADFZ --codegen --edition --crate-type --out-dir"), "-C", "--codegen").flatMap((text) => {
    if (text === null) return unknownEffect("an option of rustc is only known at run time");
    const [, command] = /^(?:linker|ar|dlltool)=(.*)$/s.exec(text) ?? [];
    return command === undefined ? [] : script(command, "rustc -C linker");
  });
}

/** `--config KEY=VALUE` may name a wrapper, a linker or a runner; `--config file` may hold one. */
function cargo(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const end = args.indexOf("--");
  return optionValues(
    readOptions(end === -1 ? args : args.slice(0, end), "FZCpj --config --package --features --target"),
    "--config",
  ).flatMap((pair) => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair ?? "") ?? [];
    if (key === undefined) return unknownEffect("cargo --config takes its settings from elsewhere");
    if (!/rustc|rustdoc|wrapper|linker|runner|alias|credential|\bar\b|rustflags|\benv\b|include|git-fetch/.test(key)) return [];
    const text = value!.trim().replace(/^(["'])(.*)\1$/s, "$2");
    return [
      ...script(text, `cargo --config ${key.trim()}`),
      ...(/^[[{"']/.test(text) || /alias|rustflags|\benv\b|include/.test(key)
        ? unknownEffect(`cargo --config ${key.trim()} changes what it runs`)
        : []),
    ];
  });
}

function go(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const tools = args.flatMap((arg, i) => {
    const found = /^--?(exec|toolexec|vettool|ldflags|gccgoflags)(?:=(.*))?$/s.exec(arg ?? "");
    if (!found) return [];
    const value = found[2] ?? args[i + 1] ?? null;
    if (!/flags$/.test(found[1]!)) return script(value, "go -exec");
    const [, external] = /-extld[= ](\S+)/.exec(value ?? "") ?? [];
    return external === undefined ? [] : script(external, "go -extld");
  });
  const kept =
    args[0] === "env" && args.includes("-w")
      ? args
          .slice(1)
          .filter((arg) => arg === null || /^(CC|CXX|AR|FC|PKG_CONFIG|GOFLAGS|GCCGO|GOROOT|GOTOOLDIR|GOTOOLCHAIN|GOENV)=/.test(arg))
      : [];
  return [...tools, ...(kept.length > 0 ? unknownEffect("go env -w changes which programs go runs from now on") : [])];
}

/** Variables of a makefile or of configure that are programs. */
const PROGRAMS =
  /^(SHELL|\.SHELLFLAGS|MAKE|CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|OBJCOPY|FC|F77|LEX|FLEX|YACC|BISON|M4|AWK|SED|PERL|PYTHON|NODE|NPM|INSTALL|LIBTOOL|PKG_CONFIG|CONFIG_SHELL|HOSTCC|CROSS_COMPILE|RM|CP|MV|LN|ECHO|EDITOR|PAGER|SUDO|DOCKER|GO|CARGO|RUSTC)$/;

function variables(args: readonly ShellWord[], program: string): readonly ProgramFinding[] {
  return args.flatMap((arg) => {
    const [, name, value] = /^([\w.]+)[:+?!]*=(.*)$/s.exec(arg ?? "") ?? [];
    if (name === undefined) return [];
    if (arg!.startsWith(`${name}!=`)) return script(value!, `${program} ${name}!=`);
    if (/\$[({]\s*shell\b|\$\(/.test(value!)) return unknownEffect(`${program} expands a value that runs a command`);
    if (!PROGRAMS.test(name) || value === "" || (name === "SHELL" && /^(\/usr)?(\/bin\/)?(ba|da|z)?sh$/.test(value!))) return [];
    return script(value!, `${program} ${name}=`);
  });
}

/** A makefile is code of the project; what stands in the arguments or on the input is not. */
function make(args: readonly ShellWord[], program: string, { stdin }: Circumstances): readonly ProgramFinding[] {
  const read = readOptions(args, "fCIjloWE --file --makefile --directory --eval --include-dir --old-file --what-if");
  const found = variables(args, program);
  if (read.options.some(({ name }) => name === "-E" || /^--ev/.test(name)))
    return [...found, ...unknownEffect("make runs what stands in its arguments")];
  const isRead = optionValues(read, "-f", "--file", "--makefile").some(
    (path) => path !== null && (isInput(path) || path.startsWith("/dev/")),
  );
  return isRead && stdin !== "" ? [...found, ...unknownEffect("make runs what stands on its input")] : found;
}

/** `cmake -E` has small programs of its own; `-D` can name a compiler or something to put in front of it. */
function cmake(args: readonly ShellWord[], _program: string, { stdin }: Circumstances): readonly ProgramFinding[] {
  const [tool, ...rest] = args[0] === "-E" ? args.slice(1) : [];
  if (tool === null) return unknownEffect("what cmake -E does is only known at run time");
  if (tool === "chdir") return runsProgram(rest.slice(1), "cmake -E");
  if (tool === "time" || tool === "env") return runsProgram([tool, ...rest], "cmake -E");
  if (tool?.startsWith("__")) return unknownEffect("cmake -E runs a step of its own");
  const argv = tool === undefined ? undefined : CMAKE[tool];
  if (argv) return runsProgram([...argv, ...rest], "cmake -E");
  const behind = args.indexOf("--build") !== -1 && args.includes("--") ? make(args.slice(args.indexOf("--") + 1), "make", { stdin }) : [];
  const defined = optionValues(readOptions(args, "DSBGTACPU --build --preset --parallel --target --config"), "-D").flatMap(
    (pair): readonly ProgramFinding[] => {
      const [, name, value] = /^(\w+)(?::\w+)?=(.*)$/s.exec(pair ?? "") ?? [];
      if (name === undefined) return [];
      if (
        /(LAUNCHER|_COMPILER|MAKE_PROGRAM|_EXECUTABLE|_COMMAND|_PROGRAM|_LINKER|CMAKE_(AR|LINKER|NM|RANLIB|STRIP)|EMULATOR|CLANG_TIDY|CPPCHECK|INCLUDE_WHAT_YOU_USE)$/.test(
          name,
        )
      )
        return script(value!, `cmake -D${name}`);
      return /^CMAKE_(TOOLCHAIN_FILE|PROJECT_\w*INCLUDE\w*|MODULE_PATH)$/.test(name) && /^[/~]|\.\./.test(value!)
        ? unknownEffect(`cmake -D${name} loads code from outside the project`)
        : [];
    },
  );
  const isRead = args.some((arg, i) => (arg === "-P" || arg === "-C") && isInput(args[i + 1] ?? null));
  return [...behind, ...defined, ...(isRead ? unknownEffect("cmake runs a script it reads from its input") : [])];
}

const CMAKE: Record<string, readonly string[]> = {
  ...underNames("rm remove", ["rm"]),
  remove_directory: ["rm", "-r"],
  ...underNames("copy copy_if_different", ["cp"]),
  copy_directory: ["cp", "-r"],
  rename: ["mv"],
  touch: ["touch"],
  make_directory: ["mkdir"],
  ...underNames("create_symlink create_hardlink", ["ln"]),
  tar: ["tar"],
};

function fromInput(option: RegExp): ProgramReader {
  return (args, program) =>
    args.some((arg, i) => arg !== null && option.test(arg) && isInput(args[i + 1] ?? null))
      ? unknownEffect(`${program} runs what it reads from its input`)
      : [];
}

/** `-Dexec.executable=cmd` */
function properties(args: readonly ShellWord[], program: string): readonly ProgramFinding[] {
  return args.flatMap((arg) => {
    const [, name, value] = /^-[DP]([\w.]+)=(.*)$/s.exec(arg ?? "") ?? [];
    if (name === undefined) return [];
    return /exec(utable)?$|ext\.class\.path|java\.home|jvm|javaagent|argLine/i.test(name)
      ? [...script(value!, `${program} -D${name}`)]
      : [];
  });
}
