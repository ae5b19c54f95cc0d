import fc from "fast-check";

/** Written down a second time, by number, from the registries of special-purpose addresses. */
const SPECIAL_V4: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
const SPECIAL_V6: readonly [bigint, bigint][] = [
  [0x2001_0000n << 96n, 23n],
  [0x2001_0db8n << 96n, 32n],
  [0x2002_0000n << 96n, 16n],
  [0x3fff_0000n << 96n, 20n],
];

const v4Number = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
export const v4Text = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join(".");
const isGlobalV4 = (n: number) => !SPECIAL_V4.some(([base, bits]) => n >>> (32 - bits) === v4Number(base) >>> (32 - bits));
const isGlobalV6 = (n: bigint) => n >> 125n === 1n && !SPECIAL_V6.some(([base, bits]) => n >> (128n - bits) === base >> (128n - bits));
const groups = (n: bigint) => Array.from({ length: 8 }, (_, i) => (n >> BigInt(112 - 16 * i)) & 0xffffn);
export const v6Text = (n: bigint) =>
  groups(n)
    .map((group) => group.toString(16))
    .join(":");

/** Half of them at an edge of a special range, where a wrong mask shows. */
export const v4 = fc.oneof(
  fc.nat(0xffffffff),
  fc.tuple(fc.constantFrom(...SPECIAL_V4), fc.integer({ min: -2, max: 2 }), fc.boolean()).map(([[base, bits], off, end]) => {
    const edge = v4Number(base) + (end ? 2 ** (32 - bits) : 0) + off;
    return ((edge % 2 ** 32) + 2 ** 32) % 2 ** 32;
  }),
);
const PREFIXES = [
  0n,
  0xffff_0000_0000n,
  0x64_ff9bn << 96n,
  (0x64_ff9bn << 96n) | (1n << 80n),
  0xfe80n << 112n,
  0xfd00n << 112n,
  0xff02n << 112n,
  0x0100n << 112n,
  0x5f00n << 112n,
  0xfec0n << 112n,
];
export const v6 = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  fc.tuple(fc.constantFrom(...PREFIXES, ...SPECIAL_V6.map(([base]) => base)), v4).map(([base, low]) => base | BigInt(low)),
  fc
    .tuple(fc.constantFrom(...SPECIAL_V6), fc.bigInt({ min: -2n, max: 2n }), fc.boolean())
    .map(([[base, bits], off, end]) => base + (end ? 1n << (128n - bits) : 0n) + off),
  v4.map((low) => (0x2002n << 112n) | (BigInt(low) << 80n) | 1n),
);

const upper = (text: string) => text.toUpperCase();
const wide = (text: string) => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
const percent = (text: string) => text.replace(/[0-9a-zA-Z]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
const spellV4 = (n: number) => {
  const parts = [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255] as const;
  return [
    v4Text(n),
    String(n),
    `0x${n.toString(16)}`,
    `0${n.toString(8)}`,
    parts.map((part) => `0x${part.toString(16)}`).join("."),
    parts.map((part) => `000${part.toString(8)}`).join("."),
    `${parts[0]}.${n & 0xffffff}`,
    `${parts[0]}.${parts[1]}.${n & 0xffff}`,
    `${v4Text(n)}.`,
    wide(v4Text(n)),
    v4Text(n).replaceAll(".", "。"),
    percent(v4Text(n)),
    `[::ffff:${v4Text(n)}]`,
    `[::${v4Text(n)}]`,
    `[64:ff9b::${v4Text(n)}]`,
  ];
};
const spellV6 = (n: bigint) => {
  const hex = groups(n).map((group) => group.toString(16));
  return [`[${hex.join(":")}]`, upper(`[${hex.join(":")}]`), `[${hex.map((group) => group.padStart(4, "0")).join(":")}]`];
};
const host = fc.oneof(
  fc.tuple(v4, fc.nat(14)).map(([n, i]) => spellV4(n)[i]!),
  fc.tuple(v6, fc.nat(2)).map(([n, i]) => spellV6(n)[i]!),
  fc.constantFrom(
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "x.internal",
    "printer.local",
    "metadata",
    "router.home.arpa",
    "site.test",
    "b.site.test",
    "ｓite.test",
  ),
  fc.constantFrom("site.test", "b.site.test", "SITE.test."),
  fc.webUrl().map((url) => url.replace(/^\w+:\/\//, "")),
  fc.string({ maxLength: 30 }),
);
/** Mostly what can be asked, or a walk would end at its first step. */
const mostly = (usual: string, ...others: string[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
export const url = fc
  .tuple(
    mostly(
      "https://",
      "https:",
      "https:\\\\",
      "HTTPS://",
      "http://",
      "https:///",
      "https://me@",
      "https://a.test@",
      "//",
      "ftp://",
      "\thttps://",
    ),
    host,
    mostly("/", ":443", ":", ":80", ":0443", ":65536", "", "?@10.0.0.1", "#@10.0.0.1", "\\@10.0.0.1", "/..//"),
  )
  .map((parts) => parts.join(""));
export const answer = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("8.8.8.8", "1.1.1.1", "2606:4700::1111") },
  { weight: 2, arbitrary: v4.map(v4Text) },
  { weight: 2, arbitrary: v6.map(v6Text) },
  v4.map((n) => `::ffff:${v4Text(n)}`),
  fc.constantFrom("fe80::1%eth0", "", "localhost", "127.1", "0x7f.1", "010.0.0.1"),
  fc.string({ maxLength: 12 }),
);

/** Reads the address back by number; no library of ours or of others is asked. */
export function isGlobal(address: string): boolean {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) return isGlobalV4(v4Number(address));
  const [head = "", tail] = address.split("::");
  const parts = (text: string) => (text === "" ? [] : text.split(":"));
  const zeros = tail === undefined ? [] : new Array(8 - parts(head).length - parts(tail).length).fill("0");
  const hex = [...parts(head), ...zeros, ...parts(tail ?? "")];
  if (hex.length !== 8) throw new Error(`${address} is no address.`);
  return isGlobalV6(hex.reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n));
}
