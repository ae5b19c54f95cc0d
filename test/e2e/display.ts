/** What a terminal shows after it was sent this: the few things we send, and a line that is too long goes on in the next. */
export function displayed(sent: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const at = (n: number) => {
    while (rows.length <= n) rows.push([]);
    return rows[n]!;
  };
  const put = (char: string) => {
    const wide = isWide(char) ? 2 : 1;
    if (column + wide > columns) {
      row += 1;
      column = 0;
    }
    const line = at(row);
    while (line.length < column) line.push(" ");
    line[column] = char;
    if (wide === 2) line[column + 1] = "";
    column += wide;
  };
  const control = (count: number, letter: string) => {
    const line = at(row);
    if (letter === "G") column = Math.max(1, count) - 1;
    else if (letter === "A") row = Math.max(0, row - Math.max(1, count));
    else if (letter === "B") row += Math.max(1, count);
    else if (letter === "C") column += Math.max(1, count);
    else if (letter === "D") column = Math.max(0, column - Math.max(1, count));
    else if (letter === "K" && count === 0) line.splice(column);
    else if (letter === "J" && count === 0) {
      line.splice(column);
      rows.splice(row + 1);
    } else if (letter !== "m" && letter !== "h" && letter !== "l") throw new Error(`This is not shown: ESC[${count}${letter}`);
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is sent
  for (const [piece, number, letter] of sent.matchAll(/\u001b\[\??(\d*)([A-Za-z])|[\s\S]/gu)) {
    if (letter !== undefined) control(Number(number ?? 0), letter);
    else if (piece === "\r") column = 0;
    else if (piece === "\n") row += 1;
    else if (piece === "\u0007") continue;
    else put(piece);
    at(row);
  }
  return rows.map((line) => line.join("").trimEnd());
}

const isWide = (char: string): boolean => /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]|\p{Emoji_Presentation}/u.test(char);
