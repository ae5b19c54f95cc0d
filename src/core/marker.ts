/** Says how much was left out, and where it is kept. */
export function omission({ lines, errors, characters }: { lines: number; errors?: number; characters?: number }): string {
  const parts = [lines > 0 ? `-${lines} lines` : "", errors ? `${errors} errors` : "", characters ? `-${characters} chars` : ""].filter(Boolean);
  return `[${parts.join(", ")}]`;
}
