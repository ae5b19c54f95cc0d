/** `File "x.py", line 3, in f`, and how Python announces frames and the errors behind an error. */
const FRAME = /File "([^"]+)", line (\d+)(?:, in (\S.*))?$/;
const LIBRARY = /^.*?\/(?:lib(?:64)?\/python\d[\d.]*\/)?(?:(?:site|dist)-packages\/|(?<=\/python\d[\d.]*\/))/;

const HEADS: readonly (readonly [RegExp, string])[] = [
  [/^(\s*(?:\+ (?:Exception Group )?)?)Traceback \(most recent call last\):$/, "$1Traceback:"],
  [/^The above exception was the direct cause of the following exception:$/, "which caused:"],
  [/^During handling of the above exception, another exception occurred:$/, "and while that was handled:"],
];

export const isPythonHead = (text: string): boolean => text.length < 100 && HEADS.some(([see]) => see.test(text));

export const shortPythonHead = (text: string): string => HEADS.reduce((said, [see, short]) => said.replace(see, short), text);

/** `x.py:3 in f`. Of a library the module is enough: where it is installed is the same for all. */
export const shortPythonFrame = (text: string): string =>
  text.replace(FRAME, (_, file: string, line: string, name?: string) => {
    const place = `${file.replace(LIBRARY, "")}:${line}`;
    return name === undefined ? place : `${place} in ${name}`;
  });
