import { generateKeyPairSync, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/any-character.ts";
import { context, describeFormats, FORMATS, format, plain, text } from "../../../test/secret-formats.ts";
import { compileSecretPatterns } from "./custom-patterns.ts";
import { createSecretFinder, type Family, redactText, type Secret, warningLine } from "./secrets.ts";

const scanner = createSecretFinder().secrets;
const shown = (text: string): string => redactText(text, scanner);
const found = (text: string): string[] => scanner.find(text).map(({ value }) => value);
const families = (text: string): Family[] => scanner.find(text).map(({ family }) => family);

const unwrapped = (text: string): string => plain(text).replace(/\r?\n\s*/g, "");

// More of each in test/secret-formats.long.test.ts.
describeFormats(20);

it("a word is not taken for letters glued to a key", () => {
  const random = "WskvR4U5aemccf9o1KYaO4SwkMNJjV";
  for (const text of [`task_test_${random}`, `risk-${random}`, `monkey-${"0123456789abcdef".repeat(2)}`, `MSG.${random}.${random}`])
    expect(found(text)).toEqual([]);
  // Of base64 and of hashes any four letters may be a prefix.
  expect(found(`${random}${random}AKIA${"Q2W3E4R5T6Y7U2I3"}`)).toEqual([]);
  expect(found(`x/${"x".repeat(3)}AKIA${"Q2W3E4R5T6Y7U2I3"}`)).toEqual([]);
});

it.each([25, 100, 25_000])("a key behind %i letters is taken out", (count) => {
  const key = `gh${"p_"}WskvR4U5aemccf9o1KYaO4SwkMNJjV123456`;
  for (const letters of ["x", "word", "AB", "0"]) {
    const glue = letters.repeat(count).slice(0, count);
    for (const text of [`${glue}${key}`, `${glue}${key}${glue}`]) expect(shown(text), `${letters} × ${count}`).not.toContain(key.slice(10));
  }
});

it("a key whose prefix is in no base64 is taken out behind any letters, and in any address", () => {
  const kinds = ["gh" + "p_", "glp" + "at-", "np" + "m_", "sk_" + "live_", "xo" + "xb-1234567890123-1234567890123-", "h" + "f_"].map(
    (prefix) => `${prefix}WskvR4U5aemccf9o1KYaO4SwkMNJjVq7Zt2LxB8c`,
  );
  const letters = fc.stringMatching(/^[A-Za-z0-9]{1,200}$/).filter((text) => !/^[A-Za-z]{0,24}[aeiou]$/i.test(text));
  const glue = fc.oneof(
    letters,
    fc.tuple(fc.constantFrom("https://h/", "a/b/", "a+", "x/y+z/"), letters).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(fc.constantFrom(...kinds), glue, (key, before) => !shown(`x ${before}${key} y`).includes(key.slice(10, 30))),
    { numRuns: 500 },
  );
});

it("a megabyte of base64, and hashes in all their forms, hold no key", () => {
  const base64 = randomBytes(1_000_000).toString("base64");
  expect(found(`data:image/png;base64,${base64}`)).toEqual([]);
  expect(found(base64.replace(/.{64}/g, "$&\n"))).toEqual([]);
  const hex = randomBytes(4000).toString("hex");
  const lines = hex
    .match(/.{64}/g)!
    .flatMap((hash) => [`sha256:${hash}`, `${hash.slice(0, 32)}.js`, `${hash.slice(0, 32)}.chunkNamesAndMore`, `${hash.slice(0, 40)} x`]);
  expect(found(lines.join("\n"))).toEqual([]);
});

it.each([
  ["the words of a wallet", `MNEMONIC="${"test walk nut penalty hip pave soap entry language right filter choice"}"`, "penalty hip"],
  ["its words without quotes", `SEED_PHRASE=${"walk nut penalty hip pave soap entry language right filter choice test"}\n`, "penalty hip"],
  ["a key of Kaggle's", `{"username":"bob","key":"${"0a1b2c3d".repeat(4)}"}`, "0a1b2c3d"],
  ["a registry's token", `{"auths":{"ghcr.io":{"auth":"${randomBytes(40).toString("base64")}"}}}`, "=="],
])("%s is taken out", (_what, text, part) => {
  expect(text).toContain(part);
  expect(shown(text)).not.toContain(part);
});

it("a hash named key is no key of Kaggle's, and a sentence no wallet", () => {
  for (const text of [
    `{"key":"${"0a1b2c3d".repeat(4)}","etag":1}`,
    "mnemonic: a word that helps you remember what is hard to keep in the head",
  ])
    expect(found(text)).toEqual([]);
});

describe("the secret beside an access-key id", () => {
  const pair = fc.tuple(format(FORMATS.AWS!), format("B40"));
  const FORMS: Record<string, (id: string, secret: string) => string> = {
    behind: (id, secret) => `${id} ${secret}`,
    before: (id, secret) => `${secret} ${id}`,
    "in a table": (id, secret) => `User name,Access key ID,Secret access key\nbob,${id},${secret}`,
    "in a table, the other way round": (id, secret) => `${secret}\t${id}\tbob`,
    "behind an equals sign": (id, secret) => `id=${id} sk=${secret}`,
    "as data": (id, secret) => `{"a":"${id}","b":"${secret}"}`,
    "as data, before it": (id, secret) => `{"a":"${secret}","b":"${id}"}`,
    "on the next line": (id, secret) => `${id}\n${secret}\n`,
    "behind a commit": (id, secret) => `${id} ${"0a1b2c3d".repeat(5)} ${secret}`,
    "with letters glued to the id": (id, secret) => `x${id}:${secret}`,
  };
  it.each(Object.entries(FORMS))("is taken out %s", (_name, form) =>
    fc.assert(fc.property(pair, ([id, secret]) => !shown(form(id, secret)).includes(secret.slice(0, 20)))),
  );

  it("is no commit and no path that stands there", () => {
    const id = `AK${"IA"}Q2W3E4R5T6Y7U2I3`;
    expect(found(`${id} ${"0a1b2c3d".repeat(5)} src/filters/secrets/and/many/more/names`)).toEqual([id]);
  });
});

it("a value that a terminal wrapped is taken out, indented or not", () => {
  const first = ["GitHub", "GitLab", "npm", "OpenAI", "Anthropic", "JWT", "Slack bot", "AWS"].map((name) => format(FORMATS[name]!));
  fc.assert(
    fc.property(fc.oneof(...first), context, fc.nat(), fc.constantFrom("\n", "\n    ", "\r\n"), (value, within, n, lineEnd) => {
      const at = 8 + (n % (value.length - 8));
      const text = `Compiling\nfoo\n${within(value.slice(0, at) + lineEnd + value.slice(at))}`;
      expect(unwrapped(shown(text))).not.toContain(value);
    }),
  );
});

it("a line is taken for wrapped only where the value goes on", () => {
  const token = `${"gh"}p_${"a1B2c3".repeat(6)}`;
  expect(shown(`${token}\nFinished`)).toBe("[redacted:access-token]\nFinished");
  expect(shown(`${token}\n${token.replace("a1", "b2")}`)).toBe("[redacted:access-token]\n[redacted:access-token]");
  const wide = (n: number) => `ey${"JhbGciOiJIUzI1NiJ9"}.ey${"JzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6ImEiLCJ"}${n}.a1B2c3D4e5F6g7H8i9J0`;
  expect(shown([1, 2, 3].map(wide).join("\n"))).toBe("[redacted:bearer]\n[redacted:bearer]\n[redacted:bearer]");
});

describe("values with a name", () => {
  const NAMES = ["password", "DB_PASSWORD", "dbPassword", "PGPASSWORD", "api_key", "apiKey", "X-Auth-Token", "client_secret", "_authToken"];
  const FORMS: Record<string, (name: string, value: string) => string> = {
    "NAME=value": (n, v) => `${n}=${v}`,
    'NAME="value"': (n, v) => `export ${n}="${v}"`,
    JSON: (n, v) => `{"${n}":"${v}"}`,
    "JSON in JSON": (n, v) => `{\\"${n}\\":\\"${v}\\"}`,
    YAML: (n, v) => `  ${n}: ${v}`,
    "YAML block": (n, v) => `${n}: |\n  ${v}\nnext: 1`,
    TOML: (n, v) => `${n} = "${v}"`,
    diff: (n, v) => `-  ${n}: ${v}`,
    PHP: (n, v) => `'${n}' => '${v}',`,
    define: (n, v) => `define('${n}', '${v}');`,
    index: (n, v) => `os.environ["${n}"] = "${v}"`,
    flag: (n, v) => `tool --${n.toLowerCase().replaceAll("_", "-")} ${v} run`,
    XML: (n, v) => `<${n}>${v}</${n}>`,
    attributes: (n, v) => `<add key="${n}" value="${v}" />`,
    "name and value": (n, v) => `- name: ${n}\n  value: ${v}`,
    query: (n, v) => `GET /a?x=1&${n}=${v}&y=2`,
    "connection string": (n, v) => `Server=x;User Id=sa;${n}=${v};Database=y`,
    change: (n, v) => `  ~ ${n} = "${v}" -> "${v}"`,
    table: (n, v) => `| ${n} | ${v} |`,
    HTML: (n, v) => `{&quot;${n}&quot;:&quot;${v}&quot;}`,
  };
  const value = fc.tuple(text("W", 8), text("D", 2), text("A", 6), text("D", 2)).map((parts) => parts.join(""));
  it.each(Object.entries(FORMS))("%s", (_name, form) =>
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), value, (name, secret) => {
        expect(shown(form(name, secret))).not.toContain(secret);
        expect(shown(form(name, secret)).replaceAll(/\[redacted:[a-z-]+\]/g, secret)).toBe(form(name, secret));
      }),
    ),
  );

  it.each([
    [`AWS_SECRET_ACCESS_KEY=${"a1B2c3D4e5".repeat(4)}`, "AWS_SECRET_ACCESS_KEY=[redacted:cloud-key]"],
    ['{"user": "a", "password": "hunter22"}', '{"user": "a", "password": "[redacted:password]"}'],
    ["postgres://app:hunter22@db:5432/app", "postgres://app:[redacted:password]@db:5432/app"],
    ["redis://:hunter22@cache:6379/0", "redis://:[redacted:password]@cache:6379/0"],
    ["postgres://app:a/b#c1@db/x", "postgres://app:[redacted:password]@db/x"],
    ["Server=x;Password=P@ss;w0rd;Encrypt=True", "Server=x;Password=[redacted:password];Encrypt=True"],
    ["curl -u admin:hunter22 https://x", "curl -u admin:[redacted:password] https://x"],
    ["mysql -u root -phunter22 app", "mysql -u root -p[redacted:password] app"],
    ["sshpass -p 'hunter22' ssh a@b", "sshpass -p '[redacted:password]' ssh a@b"],
    ["machine h\n  login dev\n  password hunter22", "machine h\n  login dev\n  password [redacted:password]"],
    ["db.internal:5432:app:app:hunter22", "db.internal:5432:app:app:[redacted:password]"],
    ["CREATE USER 'a'@'%' IDENTIFIED BY 'hunter22';", "CREATE USER 'a'@'%' IDENTIFIED BY '[redacted:password]';"],
    ["Cookie: theme=dark; sessionid=a1b2c3d4e5f6", "Cookie: theme=dark; sessionid=[redacted:bearer]"],
    ["proxy-authorization: Basic dXNlcjpodW50ZXIyMg==", "proxy-authorization: Basic [redacted:bearer]"],
    [
      "A temporary password is generated for root@localhost: kq2;Wf?8sLZx",
      "A temporary password is generated for root@localhost: [redacted:password]",
    ],
    ["%7B%22password%22%3A%22hunter22%22%7D", "%7B%22password%22%3A%22[redacted:password]%22%7D"],
    ["Authorization: Basic dXNlcjpodW50ZXIyMg== for hunter22", "Authorization: Basic [redacted:bearer] for [redacted:bearer]"],
    ["The password is:\n\n2d8a6f0c1b3e4f5a9c7d8e6b\n", "The password is:\n\n[redacted:password]\n"],
    ["https://h/c?sv=1&sig=Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78St90Uv0%3D&se=1", "https://h/c?sv=1&sig=[redacted:cloud-key]&se=1"],
    [`https://hooks.${"slack"}.com/services/T0A1B2C3D/B0A1B2C3D/${"a1B2c3D4".repeat(3)}`, "https://hooks.slack.com/[redacted:webhook]"],
  ])("%s", (text, wanted) => expect(shown(text)).toBe(wanted));

  it("takes out the values of a Kubernetes Secret, whatever they are called", () => {
    const secret =
      "apiVersion: v1\ndata:\n  anything: aHVudGVyMjItYQ==\n  ca.crt: Y2VydA==\nkind: Secret\n---\nkind: ConfigMap\ndata:\n  a: aGVsbG8=\n";
    expect(shown(secret)).toBe(secret.replace("aHVudGVyMjItYQ==", "[redacted:password]"));
    expect(shown(`${secret}\nhunter22-a`)).not.toContain("hunter22-a");
    expect(shown(JSON.stringify({ kind: "Secret", data: { x: "aHVudGVyMjItYQ==" } }))).not.toContain("aHVudGVy");
  });
});

describe("private keys", () => {
  const pem = (type: "pkcs1" | "pkcs8", cipher = {}) =>
    generateKeyPairSync("rsa", {
      modulusLength: 1024,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type, format: "pem", ...cipher },
    } as never) as unknown as { privateKey: string; publicKey: string };
  const { privateKey, publicKey } = pem("pkcs8");
  const lines = privateKey.trim().split("\n");
  const body = lines.slice(1, -1);
  const hidden = (text: string) => {
    const out = shown(text);
    for (const line of body) expect(out).not.toContain(line);
    return out;
  };

  it.each<[string, string]>([
    ["as it is", privateKey],
    ["in JSON", JSON.stringify({ type: "service_account", private_key: privateKey })],
    ["in a diff", lines.map((line) => `+${line}`).join("\n")],
    ["in YAML", `key: |\n${lines.map((line) => `    ${line}`).join("\n")}`],
    ["in a log", lines.map((line) => `web_1  | ${line}`).join("\n")],
    ["in a log with times", lines.map((line, i) => `2026-01-02T03:04:0${i % 10}Z INFO ${line}`).join("\n")],
    ["in source", `k = "${lines[0]}\\n" +\n${body.map((line) => `  "${line}\\n" +`).join("\n")}\n  "${lines.at(-1)}"`],
    ["cut off", `${lines.slice(0, 6).join("\n")}\n... 9 more lines\nok`],
    ["cut off in JSON", JSON.stringify({ k: privateKey }).slice(0, 300)],
    ["in base64", `client-key-data: ${btoa(privateKey)}`],
    ["without its header", body.join("\n")],
    ["with CRLF", privateKey.replaceAll("\n", "\r\n")],
    ["in colours", lines.map((line) => `\x1b[32m${line}\x1b[0m`).join("\n")],
  ])("%s", (_name, text) => {
    hidden(text);
    expect(families(text)).toContain("private-key");
  });

  it("stays out of a text that has lost lines of it", () => {
    const known = scanner.find(privateKey);
    expect(scanner.redact(body.slice(3, 5).join("\n"), known)).toBe("[redacted:private-key]\n[redacted:private-key]");
  });
  it("is not taken for the words of the log it stands in", () => {
    const log = lines.map((line) => `containerd kubernetes ${line}`).join("\n");
    expect(shown(`${log}\nkubernetes is up`)).toMatch(/\nkubernetes is up$/);
  });
  it("keeps what stands around it and its headers", () => {
    const { privateKey: locked } = pem("pkcs1", { cipher: "aes-256-cbc", passphrase: "x" });
    expect(shown(`a\n${locked}b`)).toMatch(
      /^a\n-----BEGIN RSA.*\nProc-Type: 4,ENCRYPTED\nDEK-Info: .*\n\n\[redacted:private-key\]\n-----END RSA.*\nb$/,
    );
    expect(hidden(`${lines.slice(0, 4).join("\n")}\n... cut\nok`)).toMatch(/^-----BEGIN.*\n\[redacted:private-key\]\n\.\.\. cut\nok$/);
  });
  it("leaves public keys, certificates and talk of keys alone", () => {
    for (const text of [
      publicKey,
      publicKey.replaceAll("PUBLIC KEY", "CERTIFICATE"),
      `grep -rn "${lines[0]}" .`,
      `${lines[0]}\n${lines.at(-1)}`,
    ])
      expect(found(text)).toEqual([]);
  });
});

describe("finds nothing in", () => {
  const word = fc.constantFrom(
    "token",
    "password",
    "secret",
    "api_key",
    "auth",
    "key",
    "build",
    "user",
    "cache",
    "test",
    "config",
    "next",
    "page",
  );
  const hex = (n: number) => text("H", n);
  const id = fc.uuid();
  const CLEAN: Record<string, fc.Arbitrary<string>> = {
    "commit hashes": hex(40).map((sha) => `commit ${sha}\nindex ${sha.slice(0, 7)}..${sha.slice(8, 15)} 100644`),
    "ids in a log": fc.tuple(id, id).map(([a, b]) => `request_id=${a} session_id=${b} trace=${a.replaceAll("-", "")}`),
    "lock files": fc.tuple(text("B", 86), hex(64)).map(([a, b]) => `"integrity": "sha512-${a}==",\nchecksum = "${b}"\n --hash=sha256:${b}`),
    "digests of images": hex(64).map((sha) => `node:20@sha256:${sha} Digest: sha256:${sha}`),
    "names of bundles": text("W", 8).map((hash) => `assets/index-${hash}.js   143.21 kB\nchunk-${hash.toUpperCase()}.js`),
    "data addresses": text("B", 120).map((data) => `url(data:image/png;base64,${data})`),
    "words with signs": fc
      .array(word, { minLength: 1, maxLength: 6 })
      .map((words) => `${words.join("_")}: ${words.join("-")} (${words.join(".")})`),
    "types and calls": fc
      .tuple(word, word)
      .map(([a, b]) => `const ${a} = get_${b}();\n${a}: string;\nlet ${b}: Option<String> = None;\n${a}=self.${b},`),
    references: fc
      .tuple(word, word)
      .map(([a, b]) => `${a}: \${${b}}\n${a}=$${b}\n${a}: {{ ${b} }}\n${a}=process.env.${b}\n${a}: <your-${b}>`),
    tests: word.map((name) => `test ${name}_refresh ... ok\nPASS src/${name}.test.ts (5.1 s)\n# pass 12\n✓ ${name} (3 tests) 34ms`),
    options: word.map(
      (name) => `  --${name} string   The ${name} to use\n  -p, --${name} ${name.toUpperCase()}\nusage: x [--${name} VALUE]`,
    ),
    packages: word.map((name) => `"${name}-utils": "^4.0.0",\n├── js-${name}@4.0.2\nCompiling ${name}-source v1.2.3`),
  };
  it.each(Object.entries(CLEAN))("%s", (_name, clean) =>
    fc.assert(
      fc.property(clean, (text) => {
        expect(found(text)).toEqual([]);
      }),
    ),
  );

  it.each([
    "Enter password:",
    "[sudo] password for dev:",
    "password must be at least 8 characters",
    'FATAL:  password authentication failed for user "app"',
    "Failed password for invalid user admin from 10.0.0.1 port 22 ssh2",
    "Unexpected token '}' in JSON at position 42",
    '"usage": {"input_tokens": 25, "output_tokens": 150}',
    'WWW-Authenticate: Bearer realm="https://auth.docker.io/token"',
    "Authorization: Bearer $TOKEN",
    "Bearer token missing",
    "password: ********",
    "+ password = (sensitive value)",
    "  secretName: my-tls-secret-2024",
    "default-token-x7k2p   kubernetes.io/service-account-token   3   12d",
    'readFile("/etc/passwd", "utf8")',
    "SELECT password FROM users WHERE id = 1",
    "http://localhost:8080/path@foo",
    "https://registry.example.org:443/@scope/pkg",
    "postgres://user:password@localhost/db",
    "mysql -h db -P 3306 -p",
    "docker run -p 8080:80 nginx",
    '<div class="sk-circle sk-fading-circle">',
    "sk-ssh-ed25519-cert-v01@openssh.com",
    "npm_config_user_agent=npm/10.8.2",
    "max_tokens: 4096",
    "nextPageToken: CAUQAAabc123def456",
    '"credentialId": "B9mTcFSck2LzJO2S3ols63"',
    "token_endpoint=a1b2c3d4e5f6g7h8",
    "public_key = 9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit",
    "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbC123",
  ])("%s", (text) => expect(found(text)).toEqual([]));
});

describe("a value that was found", () => {
  const token = `${"gh"}p_oQqTP3Ay3QPjQgbx4PNH66Z2dtqnANCiFvUN`;
  const known = scanner.find(`token=${token}\nDB_PASSWORD=p@ss/w0rd"x1\nPIN_PASSWORD=ab1c\nBOX_PASSWORD=ab1@c\nDEV_PASSWORD=postgres`);
  const redact = (text: string) => scanner.redact(text, known);

  it.each([
    ["repeated", `x ${token} y`, "x [redacted:access-token] y"],
    // Where it ends nobody can tell.
    ["inside of something longer", `A${token}B`, "A[redacted:access-token]"],
    ["cut at the end of a line", `${token.slice(0, 12)}\nnext`, "[redacted:access-token]\nnext"],
    ["cut by an ellipsis", `${token.slice(0, 20)}… end`, "[redacted:access-token]… end"],
    ["cut at its start", `... ${token.slice(-12)} end`, "... [redacted:access-token] end"],
    ["at the start of a line without its start", `a\n${token.slice(-12)} end`, "a\n[redacted:access-token] end"],
    ["over three lines", `${token.slice(0, 10)}\n  ${token.slice(10, 20)}\n  ${token.slice(20)}`, "[redacted:access-token]"],
    ["in colours", `\x1b[1m${token.slice(0, 9)}\x1b[0m${token.slice(9)}!`, "\x1b[1m[redacted:access-token]\x1b[0m!"],
    ["percent-encoded", "?p=p%40ss%2Fw0rd%22x1&", "?p=[redacted:password]&"],
    ["escaped", '{"p":"p@ss/w0rd\\"x1"}', '{"p":"[redacted:password]"}'],
    ["in base64", `data: ${btoa(token)} end`, "data: [redacted:access-token]== end"],
    ["a password on two lines", 'x p@ss/w0\n  rd"x1 y', "x [redacted:password] y"],
    ["a short one in another form", "ab1%40c", "ab1%40c"],
    ["a short one, only at its place", "PIN_PASSWORD=ab1c and ab1cdef", "PIN_PASSWORD=[redacted:password] and ab1cdef"],
    ["a word, only at its place", "DEV_PASSWORD=postgres image: postgres:15", "DEV_PASSWORD=[redacted:password] image: postgres:15"],
  ])("%s", (_name, text, wanted) => expect(redact(text)).toBe(wanted));

  it("is found in what a terminal does not show", () => {
    expect(shown(`\x1b]8;;https://a:hunter22@h/\x1b\\link\x1b]8;;\x1b\\`)).toBe(
      "\x1b]8;;https://a:[redacted:password]@h/\x1b\\link\x1b]8;;\x1b\\",
    );
    expect(shown(`${token.slice(0, 9)}\0\u200b${token.slice(9)}`)).toBe("[redacted:access-token]");
  });
  it("leaves the rest of the text as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a b", "é中", "\x1b[31mred\x1b[0m", "\n", token, "x=1"), { maxLength: 12 }), (parts) => {
        const text = parts.join(" ");
        expect(shown(text)).toBe(text.replaceAll(token, "[redacted:access-token]"));
      }),
    );
  });
  it("is not found again in what was redacted", () => {
    const once = shown(`token=${token} password=hunter22 Authorization: Bearer ${token}`);
    expect(found(once)).toEqual([]);
    expect(shown(once)).toBe(once);
  });
});

describe("patterns a person adds", () => {
  it("take out what they match, or their first group", () => {
    const { secrets: own, warnings } = createSecretFinder(compileSecretPatterns(["ACME-[0-9]{6}", "(?i)badge=(\\w+)"]));
    expect(warnings).toEqual([]);
    expect(redactText("ACME-123456 BADGE=abcdef x abcdef", own)).toBe("[redacted:custom] BADGE=[redacted:custom] x [redacted:custom]");
    expect(warningLine(own.find("ACME-123456"))).toBe("[security] 1 secret redacted: custom");
  });
  it("are left out with a reason when they are bad", () => {
    const { secrets: own, warnings } = createSecretFinder(compileSecretPatterns(["(", "a*", "(?=x)y", "z".repeat(513), "", "ok-\\d+"]));
    expect(warnings.map((warning) => warning.slice(0, 30))).toEqual([
      'The secret pattern "(" is left',
      'The secret pattern "a*" is lef',
      'The secret pattern "(?=x)y" is',
      'The secret pattern "zzzzzzzzzz',
      'The secret pattern "" is left ',
    ]);
    expect(redactText("ok-12 aaa", own)).toBe("[redacted:custom] aaa");
  });
  it("take linear time", () => {
    const { secrets: own } = createSecretFinder(compileSecretPatterns(["(a+)+b", "(x|xx)*y"]));
    expect(redactText(`${"a".repeat(50_000)}!\n${"x".repeat(50_000)}`, own)).toContain("a!");
  });
});

describe("the warning", () => {
  const of = (...list: [Family, number][]): Secret[] =>
    list.flatMap(([family, count]) => Array.from({ length: count }, (_, i) => ({ family, value: `${family}${i}` })));
  it.each([
    [of(["password", 1]), "[security] 1 secret redacted: password"],
    [of(["password", 1], ["access-token", 2]), "[security] 3 secrets redacted: access-token ×2, password"],
    [of(["password", 1], ["bearer", 1], ["webhook", 1]), "[security] 3 secrets redacted: password, bearer, webhook"],
    [of(["password", 3], ["bearer", 2], ["webhook", 1], ["custom", 1]), "[security] 7 secrets redacted: password ×3, bearer ×2, others"],
    [of(["password", 1000]), "[security] 1000+ secrets redacted: password ×1000"],
  ])("%#", (secrets, line) => expect(warningLine(secrets)).toBe(line));
});

describe("any text", () => {
  it("is searched without an error and in order", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 400 }),
        fc.constantFrom("password=", "token: ", "://a:", "\x1b]8;;", "-----BEGIN PRIVATE KEY-----"),
        (noise, start) => {
          const text = start + noise;
          expect(() => scanner.redact(text, scanner.find(text))).not.toThrow();
        },
      ),
    ));
  it("keeps no more than a thousand values, and shows none beyond", () => {
    const values = Array.from({ length: 1500 }, (_, i) => `gl${"pat"}-a1B2c3D4e5F6g7H8x${String(i).padStart(4, "0")}`);
    const known = scanner.find(values.join("\n"));
    expect(known).toHaveLength(1000);
    expect(scanner.redact(values.toReversed().join(" "), known)).toBe(values.map(() => "[redacted:access-token]").join(" "));
  });

  const LENGTH = 100_000;
  const repeated = (part: string) => part.repeat(Math.ceil(LENGTH / part.length));
  it.each<[string, () => string]>([
    ["one character", () => repeated("a")],
    ["equals signs", () => repeated("=")],
    ["Bearer", () => repeated("Bearer ")],
    ["names without an end", () => repeated("password=")],
    ["open quotes", () => repeated('password="')],
    ["prefixes", () => repeated(`gh${"p_"}`)],
    ["prefixes on lines", () => repeated(`gh${"p_"}a\n`)],
    ["headers of tokens", () => repeated("eyJ-")],
    ["beginnings of keys", () => repeated("-----BEGIN RSA PRIVATE KEY-----\n")],
    ["a key without an end", () => `-----BEGIN PRIVATE KEY-----\n${repeated(`${"MIIEowIBAAKCAQEA".repeat(4)}\n`)}`],
    ["addresses", () => repeated("redis://a:")],
    ["escapes", () => repeated("\x1b]8;;")],
    ["kinds", () => repeated("kind: Secret\n")],
    ["cookies", () => `cookie: ${repeated("cookie=1; ")}`],
    ["programs", () => repeated("curl ")],
    ["tokens", () => repeated(`gh${"p_"}${"a1B2c3".repeat(6)} `)],
    ["half a value", () => `token=${"a1B2".repeat(20)}x9 ${repeated("a1B2")}`],
  ])("takes no more than its length allows: %s", (_name, make) => {
    const text = make();
    const time = (input: string): number => {
      const start = process.cpuUsage();
      scanner.redact(input, [...scanner.find(input), { family: "password", value: "zq12zq12" }]);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    };
    time(text.slice(0, LENGTH / 10));
    expect(time(text)).toBeLessThan(5000);
  });
});

describe("a key that Zeph uses itself", () => {
  const { secrets: own } = createSecretFinder(undefined, new Set(["plain words here"]));

  it("is redacted wherever it stands, whatever it looks like", () => {
    expect(redactText("plain words here, and plain words hereplain words here", own)).toBe(
      "[redacted:access-token], and [redacted:access-token][redacted:access-token]",
    );
    expect(redactText("plain words there", own)).toBe("plain words there");
  });
});
