/** How large the program of a pattern can become, from above: a part that is repeated counts as often. Infinite where that is hard to say. */
export function patternSize(source: string): number {
  // Ways of RE2 to write brackets that are none. No pattern of JSON Schema has them.
  if (/\\Q|\[\^?\]/.test(source)) return Number.POSITIVE_INFINITY;
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  for (const [token, , most] of source.matchAll(TOKEN)) {
    // A class of RE2 within a class, such as `[[:alpha:]]`. Any class may begin with a colon, or hold a bracket and a colon.
    if (token.startsWith("[") && token.includes("[:", 1) && source.includes(":]")) return Number.POSITIVE_INFINITY;
    if (token === "(") {
      outer.push(sum);
      sum = 0;
      last = 0;
    } else if (token === ")") {
      if (outer.length === 0) return Number.POSITIVE_INFINITY;
      last = sum + 1;
      sum = outer.pop()! + last;
    } else if (most !== undefined) {
      const times = Math.max(...most.split(",").map(Number));
      sum += last * Math.max(times - 1, 0);
      last *= Math.max(times, 1);
    } else {
      // A named class of characters is a long list.
      last = /\\[pP]/.test(token) ? 10 : token.length;
      sum += last;
    }
  }
  return outer.length > 0 ? Number.POSITIVE_INFINITY : sum;
}

const TOKEN = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|(\{(\d+(?:,\d*)?)\})|[\s\S]/g;
