import { type Circumstances, type ProgramFinding, type ProgramReader, script, unknownEffect } from "../finding.ts";
import { mentionsForbidden } from "../mentions.ts";
import type { ShellWord } from "../options.ts";
import { underNames } from "./under-names.ts";

/** A language in which a shell command can be said: the first group is the command, a hit without one is code that could do anything. */
interface Language {
  readonly escape: RegExp;
  /** Options whose next word, or the rest of their own, is said in it. */
  readonly said?: RegExp;
  /** Operands are said in it too. */
  readonly operands?: true;
  /** Options that read it from a file. */
  readonly loads?: RegExp;
}

const VI =
  /(?:^|[\s:|%\d,$.'"<>])!+(?![=~])(.+)$|\b(?:system|systemlist|libcall|py3?|pyx|python3?|lua|luado|luafile|ruby|perl|tcl|term(?:inal)?|job_start|jobstart|makeprg|grepprg|make|shell|sh|source|so|execute|exe)\b/s;
const VIM: Language = {
  escape: VI,
  said: /^(\+|-c|--cmd$|--cmd=|--remote-(?:expr|send)$)/,
  loads: /^(-S|-u|-U|-s|-l|--startuptime)$|^-S./,
};
const SQL: Language = {
  escape: /(?:^|\s|;)\\!\s*(.*)$|\\(?:copy|o|g|w|setenv)\b.*\bprogram\b|\bprogram\s+['$]|\\g\s*\||^\s*system\s+(.+)$/ims,
  said: /^(-c|-e|--command|--execute)/,
  operands: true,
};
const ESCAPE_LINE = /^[ \t]*(?:\d*[ \t]*[rwe][ \t]*)?!(.+)$/m;

const LANGUAGES: Record<string, Language> = {
  ...underNames("vim vi nvim ex view rvim gvim vimdiff nvimdiff rview evim", VIM),
  ...underNames("psql mysql mariadb", SQL),
  sqlite3: {
    escape: /^\s*\.(?:shell|system)\s+(.*)$|^\s*\.(?:import|output|once|excel|load|read)\s+['"]?\|\s*(.*)$|\.load\b|load_extension\s*\(/ims,
    operands: true,
    said: /^-cmd$/,
  },
  ...underNames("gdb lldb", {
    escape:
      /^\s*(?:shell|!|platform shell|pipe .*?\|)\s*(.*)$|^\s*(?:python|py|pi|source|run|r|start|starti|call|compile|guile|script|command script|make|process launch|expression|expr)\b|\bsystem\s*\(/ms,
    said: /^-{1,2}(ex|iex|eval-command|init-eval-command|o|O|one-line|one-line-before-file)$|^-{1,2}(ex|iex|eval-command)=/,
    loads: /^-{1,2}(x|ix|command|init-command|s|S|source)(=|$)/,
  }),
  ...underNames("ftp lftp tftp", { escape: /(?:^|[;\n])\s*!(.*)$/ms, said: /^-(e|c)$/ }),
  ...underNames("less more most", { escape: /^\+{1,2}.*?!(.*)$/s, operands: true }),
  ...underNames("ed red", { escape: ESCAPE_LINE, operands: true }),
  gnuplot: { escape: /^\s*!(.*)$|\bsystem\b|\bpopen\b|'<\s*/ms, said: /^-e/ },
  dc: { escape: /(?:^|\s|\])!(?![<>=])(.*)$/ms, said: /^(-e|--expression)/ },
  m4: { escape: /\be?syscmd\s*\(/, said: /^-[DI]/ },
  emacs: { escape: /(?:)/, said: /^-{1,2}(e|eval|funcall|load|execute|l|f|x|batch|script)$|^--(eval|load|funcall|execute)=/ },
};

export const escapingPrograms = (): Record<string, ProgramReader> =>
  Object.fromEntries(Object.entries(LANGUAGES).map(([name, language]) => [name, reader(language)]));

function reader({ escape: escapes, said, operands, loads }: Language): ProgramReader {
  const judged = (text: ShellWord, program: string): readonly ProgramFinding[] => {
    if (text === null) return [];
    const found = escapes.exec(text);
    if (!found) return mentionsForbidden(text) && said ? unknownEffect(`${program} is told of a program that is never run`) : [];
    const command = found.slice(1).find((group) => group !== undefined);
    return command === undefined ? unknownEffect(`${program} runs code that could do anything`) : script(command, `${program} !`);
  };
  return (args, program, { stdin }: Circumstances) => {
    const found: ProgramFinding[] = [];
    for (let i = 0; i < args.length; i++) {
      const arg = args[i]!;
      if (arg === null) continue;
      const option = said?.exec(arg)?.[0];
      if (option !== undefined)
        found.push(...judged(arg.length > option.length ? arg.slice(option.length) : option === "+" ? "" : (args[++i] ?? null), program));
      else if (loads?.test(arg)) {
        if (!/^(NONE|NORC|\/dev\/null)$/.test(args[i + 1] ?? "")) found.push(...unknownEffect(`${program} runs code from a file`));
      } else if (operands) found.push(...judged(arg, program));
      else if (/^-[a-zA-Z]+c$/.test(arg) && said) found.push(...judged(args[++i] ?? null, program));
    }
    // What comes through a pipe from another program is data to most of them; what is written here is there to be read.
    if (typeof stdin === "string") found.push(...judged(stdin, program));
    return found;
  };
}
