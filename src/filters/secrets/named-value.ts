/**
 * A value without its secrets, where it stands under a name: `password` says more about a value than the value does. The finder reads both as the
 * line of JSON that they would be.
 */
export function redactNamed(name: string, value: string, redact: (text: string) => string): string {
  const clean = redact(value);
  if (clean !== value) return clean;
  const line = JSON.stringify({ [name]: value });
  const found = redact(line);
  if (found === line) return value;
  try {
    const [other] = Object.values(JSON.parse(found) as object);
    if (typeof other === "string") return other;
  } catch {
    // What was taken out was more than the value.
  }
  return "[redacted]";
}
