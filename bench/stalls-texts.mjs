// Texts that are dear to read: each about ten million characters of one kind.

const SIZE = 10_000_000;

/** The same random numbers every time. */
function randomFrom(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % most;
  };
}

function repeated(line) {
  const next = randomFrom(7);
  const lines = [];
  for (let size = 0; size < SIZE; ) {
    const text = line(next, lines.length);
    lines.push(text);
    size += text.length + 1;
  }
  return `${lines.join("\n")}\n`;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const word = (next, length, letters = LETTERS) => {
  let text = "";
  for (let i = 0; i < length; i++) text += letters[next(letters.length)];
  return text;
};
const pool = (make) => {
  const next = randomFrom(11);
  const words = Array.from({ length: 4096 }, () => make(next));
  return (at) => words[at(words.length)];
};
const token = pool((next) => word(next, 32));
const near = pool(
  (next) => `${word(next, 8)}AKIA${word(next, 11)} gh_${word(next, 20)} sk-${word(next, 9)}-word password = secret key: value `,
);
const base64 = pool((next) => word(next, 76, `${LETTERS}+/`));

export const TEXTS = {
  "lines of api_key=": () => repeated((next) => `api_key=${token(next)}`),
  "one api_key= line, again and again": () => repeated(() => "api_key=Zk3vQ8sLw1Xy7Rt5Bn2Mc9Pd4Fg6Hj0K"),
  "equal lines of an error": () => repeated(() => "error: connection refused by 10.0.0.7:5432"),
  "one line": () => "abcdefghij klmnopqrstu 0123456789 ".repeat(SIZE / 34),
  "one line without a space": () => "abcdefghijklmnopqrstu0123456789ABCDE".repeat(SIZE / 36),
  "lines that are nearly secrets": () => repeated(near),
  base64: () => repeated(base64),
  JSON: () =>
    JSON.stringify(
      JSON.parse(`[${repeated((_, n) => `${n ? "," : ""}{"id":${n},"name":"item ${n}","token_url":"https://example.org/${n}"}`)}]`),
    ),
  "a progress bar": () =>
    `${Array.from({ length: 170_000 }, (_, n) => `downloading ${n % 100}% [${"#".repeat(n % 40)}${" ".repeat(40 - (n % 40))}]`).join("\r\n")}\n`,
  "redrawn lines": () =>
    Array.from({ length: 170_000 }, (_, n) => `\r\x1b[2K\x1b[32mdownloading\x1b[0m ${n} of 170000 packages (${n % 100}%)`).join(""),
  "200,000 different lines": () =>
    Array.from({ length: 200_000 }, (_, n) => `line ${n} ${(n * 2654435761) % 4294967296} is not like the others`).join("\n"),
  "brackets and markers": () => repeated((_, n) => `[zeph:${n} [-${n} lines] [[[[ [untrusted ${n}]`),
  "letters of other scripts": () => repeated((next) => `Ошибка ${token(next)} 接続が拒否されました пароль=${next(9)}`),
};
