import { joinedWords, type ProgramFinding, type ProgramReader, script, unknownEffect } from "../finding.ts";
import { has, type Options, optionValues, readLeadingOptions, readOptions, type ShellWord } from "../options.ts";
import { isInput } from "../relative-path.ts";
import { underNames } from "./under-names.ts";

/** Programs that reach other machines through a command of their own choosing. */
export const REMOTE: Record<string, ProgramReader> = {
  ...underNames("ssh autossh slogin", ssh),
  scp: (args) => copies(readOptions(args, "cDFiJloPSX"), "scp"),
  sftp: (args, _program, { stdin }) => [
    ...copies(readOptions(args, "bBcDFiJloPRsSX"), "sftp"),
    ...(typeof stdin === "string" ? [...stdin.matchAll(/^[ \t]*!(.+)$/gm)].flatMap(([, line]) => script(line!, "sftp !")) : []),
  ],
  "ssh-copy-id": (args) => sshOptions(readOptions(args, "iop")),
  ...underNames("ssh-keygen ssh-add", (args, program) =>
    has(readOptions(args, "DsSwIPOo"), "-D", "-s", "-S", "-w") ? unknownEffect(`${program} loads a library it is given`) : [],
  ),
  sshfs: (args) =>
    optionValues(readOptions(args, "opF"), "-o").flatMap((text) =>
      (text?.split(",") ?? []).flatMap((part) => {
        const found = /^(ssh_command|sftp_server|ProxyCommand|directport)=(.+)$/is.exec(part);
        return found ? script(found[2]!, "sshfs -o") : [];
      }),
    ),
  socat: addresses(/(?:^|!!)(?:exec|system|shell)(?:-[a-z]+)?:/i),
  websocat: addresses(/^(?:cmd|sh-c|exec):/i),
};

function ssh(args: readonly ShellWord[]): ProgramFinding[] {
  const own = readLeadingOptions(args, "BbcDEeFIiJLlmOoPpQRSWwM");
  return [
    ...sshOptions(own),
    ...(optionValues(own, "-J").some((hop) => hop?.startsWith("-")) || optionValues(own, "-F").some(isInput)
      ? unknownEffect("ssh takes options from a place nobody reads here")
      : []),
    ...(has(own, "-I") ? unknownEffect("ssh -I loads a library it is given") : []),
    ...(own.operands.length > 1 ? script(joinedWords(own.operands.slice(1)), "ssh") : []),
  ];
}

/** `-S` and `-D` name programs that are run in the place of ssh or of the far end. */
const copies = (read: Options, program: string): ProgramFinding[] => [
  ...sshOptions(read),
  ...optionValues(read, "-S", "-D").flatMap((text) => script(text, `${program} -S`)),
];

const sshOptions = (read: Options): ProgramFinding[] =>
  optionValues(read, "-o").flatMap((option) => {
    const found = /^\s*(proxycommand|localcommand|knownhostscommand)\s*[= ]\s*(.+)$/is.exec(option ?? "");
    if (found) return script(found[2]!, `ssh -o ${found[1]}`);
    if (option === null) return unknownEffect("an option of ssh is only known at run time");
    return /^\s*(match|include|pkcs11provider|securitykeyprovider|xauthlocation)\b|^\s*proxyjump\s*[= ]\s*-/i.test(option)
      ? unknownEffect(`ssh -o ${option} changes what it runs`)
      : [];
  });

function addresses(runs: RegExp): ProgramReader {
  return (args, program) =>
    args.flatMap((arg) => {
      const found = arg === null ? null : runs.exec(arg);
      return found ? script(arg!.slice(found.index + found[0].length), program) : [];
    });
}
