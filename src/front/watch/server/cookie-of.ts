import type { IncomingMessage } from "node:http";

/** The value of a cookie; empty where there is none, or two: of those, one is not ours. */
export function cookieOf({ headers }: Pick<IncomingMessage, "headers">, name: string): string {
  const values = (headers.cookie ?? "").split(";").flatMap((pair) => {
    const [key, value = ""] = pair.trim().split("=", 2);
    return key === name ? [value] : [];
  });
  return values.length === 1 ? values[0]! : "";
}
