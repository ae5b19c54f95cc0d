import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretFinder } from "../secrets.ts";

const { secrets } = createSecretFinder();
const redacted = (text: string) => secrets.redact(text, secrets.find(text));

describe("a word that names secrets", () => {
  it.each([
    "PASS: gcc.dg/vect/pr12345.c",
    "PASS: gdb.base/break1x2.exp: breakpoint 3",
    "PASS : kubectl1v28",
    "PASS: RFC3339Nano",
    "PASS: parse_rfc3339_date2",
    "Pass: Sha256x2RoundTrip",
    "PASS kubectl1v28 login2fa9",
    "--- PASS: TestToken/base64url2 (0.00s)",
    "pass: kubectl1v28 (12ms)",
    "pass: kubectl1v28\nfail: x509v3ext",
    "skip: a1\n  pass: kubectl1v28",
    "# PASS:  12",
    "pass: 12",
    "pass: 123456/123456",
    "PASS: 'test_oauth2 (v1x2)'",
    "Password: correct",
  ])("is no password where it says how a test ended: %j", (text) => expect(redacted(text)).toBe(text));

  it.each([
    "unexpected token: }",
    "error: got token: Ident42abc",
    "expected token: r_paren1, found token: x86_64v2",
    "Invalid token: 0x1F00AB2z",
    "missing secret: db-creds-v2x",
    "Creating Secret: regcred2024abc",
    'Error from server: secret "db1creds2" not found',
    "PWD: /srv/build42/x1",
  ])("is none where it says what is spoken of: %j", (text) => expect(redacted(text)).toBe(text));

  const MADE = "a81bC0dE92fG";
  it.each([
    "pass: VALUE",
    "PASS=VALUE",
    "DB_PASS: VALUE",
    "DB_PASS=VALUE",
    "smtp_pass: VALUE",
    "USER: admin\nPASS: VALUE",
    "Username: bob\n  Pass: VALUE",
    "user: bob, pass: VALUE",
    '"pass": "VALUE"',
    "PASS: 'VALUE&#'",
    "PASS: VALUE",
    "--pass VALUE",
    "password: VALUE",
    "Password: VALUE",
    "Updated password: VALUE",
    "got password: VALUE",
    'password "VALUE" created',
    "got secret: VALUE",
    "token: VALUE",
    "got token: VALUEx7Y8z9Q1",
    "secret: VALUE",
    'secret "VALUEx7Y8z9Q1" not found',
    "PWD: VALUE",
  ])("is one where a value follows that is no name: %j", (line) => expect(redacted(line.replace("VALUE", MADE))).not.toContain(MADE));
});

it("a password that reads like a name is one beside a user's name, and where nothing else tells of tests", () => {
  const chosen = "Winter2024x";
  expect(redacted(`PASS: ${chosen}`)).toContain(chosen);
  for (const text of [`USER: admin\nPASS: ${chosen}`, `login: bob\n  Pass: ${chosen}`, `pass: ${chosen}`])
    expect(redacted(text)).not.toContain(chosen);
});

it("a test's name after PASS: and FAIL: is shown, whatever words and numbers it is made of, and a password beside a user's name never is", () => {
  const part = fc.stringMatching(/^[a-z]{2,7}\d{0,3}[A-Z]?[a-z]{0,5}$/);
  const names = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("_"));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("PASS", "FAIL", "XFAIL"), names), { minLength: 1, maxLength: 6 }), (tests) => {
      const text = tests.map(([how, name]) => `${how}: ${name}`).join("\n");
      expect(redacted(text)).toBe(text);
    }),
  );
  const made = fc.stringMatching(/^[a-z]\d[A-Z]\d[a-z]\d[A-Z]\d[a-z]\d$/);
  fc.assert(
    fc.property(made, fc.constantFrom("PASS", "Pass", "pass"), (value, name) => {
      expect(redacted(`user: bob\n${name}: ${value}`)).not.toContain(value);
    }),
  );
});
