import { type DiagnosticFormat, diagnostic, readPlace, textAt } from "../diagnostic.ts";

const INSIDE = /^(?:\S{1,200}ld(?:\.\w{1,8})?: )?(\S.*?): in function [`'‘"]([^'’"]{1,1000})['’"]:$/;
const UNDEFINED =
  /^(?:\S{1,200}ld(?:\.\w{1,8})?: )?(\S[^()]{0,400}?):(?:\(\S{1,200}\)|(\d{1,7})): ((?:more )?(?:undefined reference to|multiple definition of) .+)$/;

/** `main.o: in function main:` and `main.c:(.text+0x13): undefined reference to x`. */
export const linker: DiagnosticFormat = () => {
  let inside = "";
  return (lines, at) => {
    const named = INSIDE.exec(textAt(lines, at));
    const first = named && UNDEFINED.test(textAt(lines, at + 1)) ? at + 1 : at;
    const [, file, line, message] = UNDEFINED.exec(textAt(lines, first)) ?? [];
    if (file === undefined) return null;
    if (first > at) inside = named![2]!;
    const place = readPlace(inside === "" ? file : `${file}:${inside}`, line);
    return { found: [diagnostic(place, "", message!, lines.slice(at, first + 1))], end: first + 1 };
  };
};
