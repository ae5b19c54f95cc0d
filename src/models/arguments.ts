/** Arguments as a model wrote them, read. What cannot be read is no error of ours: the model is told what is wrong with it. */
export function readArguments(text: string): { readonly args: unknown; readonly problem?: string } {
  if (text.trim() === "") return { args: {} };
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch (error) {
    return { args: undefined, problem: `the arguments are not valid JSON: ${reason(error as Error)}` };
  }
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return { args: undefined, problem: `the arguments must be one JSON object, but they are ${kind(args)}` };
  return { args };
}

/** Only where it went wrong: a thought may be anywhere in the text, and the text may be long. */
function reason({ message }: Error): string {
  if (/end of JSON|Unterminated/i.test(message)) return "they end too early";
  const at = /position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  return at ? `there is a mistake at ${at}` : "there is a mistake at the beginning";
}

function kind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
