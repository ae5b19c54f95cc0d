/** As `split("\n")`, one line after the other: a list of millions of tiny texts takes many times the memory of the text. */
export function* eachLine(text: string): Generator<string> {
  let from = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
    yield text.slice(from, end);
    from = end + 1;
  }
  yield text.slice(from);
}
