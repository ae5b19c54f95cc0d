import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretFinder, redactText } from "../src/filters/secrets/secrets.ts";

const scanner = createSecretFinder().secrets;
const shown = (text: string): string => redactText(text, scanner);

/** Made here, so that none is ever written down. */
const CHARS: Record<string, string> = {
  W: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  A: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  U: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
  B: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  H: "0123456789abcdef",
  X: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  C: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  D: "0123456789",
  N: "abcdefghijklmnopqrstuvwxyz0123456789",
};
/** `gh p_|W36` is "ghp_" and 36 of the characters W. */
export const FORMATS: Record<string, string> = {
  AWS: "AK IA|C16",
  "AWS, temporary": "AS IA|C16",
  "Google API": "AI za|U35",
  "Google OAuth": "ya 29.|U80",
  "Google client": "GOC SPX-|U28",
  DigitalOcean: "dop _v1_|H64",
  Heroku: "HR KU-AA|U58",
  Vault: "hv s.|U95",
  Supabase: "sb p_|H40",
  Databricks: "da pi|H32",
  GitHub: "gh p_|W36",
  "GitHub app": "gh s_|W36",
  "GitHub fine-grained": "github _pat_|W22|_|W59",
  GitLab: "gl pat-|U20",
  "GitLab runner": "gl rt-|U20",
  npm: "np m_|W36",
  PyPI: "py pi-AgEIcHlwaS5vcmc|U60",
  RubyGems: "ruby gems_|H48",
  Docker: "dck r_pat_|U27",
  "Slack bot": "xo xb-|D12|-|D13|-|W24",
  "Slack user": "xo xp-|D12|-|D12|-|D12|-|H32",
  Stripe: "sk _live_|W24",
  "OpenAI, old": "s k-|W20|T3BlbkFJ|W20",
  OpenAI: "sk -proj-|U74|T3BlbkFJ|U74",
  Anthropic: "sk -ant-api03-|U93|AA",
  Groq: "gs k_|W52",
  "Hugging Face": "h f_|A34",
  Notion: "nt n_|D11|W35",
  Linear: "lin _api_|W40",
  Sentry: "sntr yu_|H64",
  SendGrid: "S G.|U22|.|U43",
  Twilio: "S K|H32",
  Shopify: "shp at_|H32",
  Square: "sq 0atp-|U22",
  Postman: "PM AK-|H24|-|H34",
  "New Relic": "NR AK-|X27",
  Grafana: "gl sa_|W32|_|H8",
  "Grafana Cloud": "gl c_|B100",
  Atlassian: "ATA TT3|U186",
  Fly: "fo 1_|U43",
  Terraform: "|W14|.atlasv1.|U67",
  Telegram: "|D9|:AA|U33",
  "Entra ID": "|W3|8Q~|U34",
  age: "AGE-SEC RET-KEY-1|C58",
  "Discord bot": "MT|W22|.|U6|.|U27",
  Neon: "na pi_|N64",
  Firecrawl: "f c-|H32",
  Jina: "ji na_|W60",
  Voyage: "p a-|U43",
  "Modal, id": "a k-|W22",
  E2B: "e2 b_|H40",
  Kaggle: "KG AT_|H32",
  Cursor: "ke y_|H64",
  PostHog: "ph x_|W43",
  Together: "tg p_v1_|U43",
  Dropbox: "s l.u.|U140",
  "1Password": "op s_eyJ|U250",
  Confluent: "cf lt|B60",
  Snyk: "sn yk_uat.|H8|.|U80",
  Asana: "1 /|D16|:|H32",
  "Azure DevOps": "|W76|AZDO|W4",
  "Azure, newer": "|W52|JQQJ99|W10|ACAAAAAAAAAAAC|W2",
  Mailchimp: "|H32|-us12",
  "Z.ai": "|H32|.|W16",
  Django: "django-inse cure-|W50",
  JWT: "ey JhbGciOiJIUzI1NiJ9.|ey JzdWIiOiIx|W20|.|U43",
};
/** Every character as likely as any other: what a generator prefers, such as nothing but `A`, nobody was ever given. */
const random = (make: (next: (below: number) => number) => string) =>
  fc.noShrink(fc.nat()).map((seed) => {
    let state = seed;
    return make((below) => {
      state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
      return ((state ^ (state >>> 13)) >>> 0) % below;
    });
  });
export const text = (of: string, length: number) =>
  random((next) => Array.from({ length }, () => CHARS[of]![next(CHARS[of]!.length)]).join(""));
export function format(spec: string): fc.Arbitrary<string> {
  const parts = spec.split("|").map((part) => {
    const run = /^([A-Z])(\d+)$/.exec(part);
    return run ? text(run[1]!, Number(run[2])) : fc.constant(part.replaceAll(" ", ""));
  });
  return fc.tuple(...parts).map((pieces) => pieces.join(""));
}

const CONTEXTS: Record<string, (value: string) => string> = {
  alone: (v) => v,
  environment: (v) => `API=${v}`,
  shell: (v) => `export MY_TOKEN="${v}"`,
  JSON: (v) => `{"a": 1, "x": "${v}", "b": 2}`,
  "JSON in JSON": (v) => `{\\"x\\":\\"${v}\\"}`,
  YAML: (v) => `  token: ${v}`,
  header: (v) => `Authorization: Bearer ${v}`,
  curl: (v) => `curl -sS -H 'X-Api-Key: ${v}' https://api.example.com`,
  log: (v) => `2026-01-02T03:04:05Z INFO using ${v} for upload`,
  diff: (v) => `+key: ${v}`,
  query: (v) => `GET /x?access_token=${v}&a=b HTTP/1.1`,
  Python: (v) => `client = Client(token="${v}", timeout=3)`,
  "an escape before": (v) => `{"line":"a\\n${v}\\nb"}`,
  "an escaped colour before": (v) => `\\u001b[32m${v}\\u001b[0m`,
  "percent-encoded equals before": (v) => `next=%3D${v}`,
  "a full stop behind": (v) => `The token is ${v}.`,
  CRLF: (v) => `a\r\ntoken=${v}\r\nb`,
  table: (v) => `| token | ${v} |`,
};
export const context = fc.constantFrom(...Object.values(CONTEXTS));

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
export const plain = (text: string): string => text.replace(/\x1b\[[\d;]*[mK]/g, "");

/** Each format alone, in each context, with colours inside of it and with letters before it. */
export function describeFormats(runs: number): void {
  describe.each(Object.entries(FORMATS))("%s", (_name, spec) => {
    it("is taken out wherever it stands", () =>
      fc.assert(
        fc.property(format(spec), context, (value, within) => {
          const text = within(value);
          expect(scanner.find(text)).not.toEqual([]);
          expect(shown(text)).not.toContain(value);
        }),
        { numRuns: runs },
      ));
    it("is taken out with colours around or inside of it", () =>
      fc.assert(
        fc.property(format(spec), context, fc.nat(), (value, within, n) => {
          const at = n % value.length;
          const text = within(`${value.slice(0, at)}\x1b[1;31m${value.slice(at)}\x1b[m`);
          expect(plain(shown(text))).not.toContain(value);
        }),
        { numRuns: runs },
      ));
  });

  /** Known only by what stands before them: `MSG.…` and a hash behind `RISK` are none. */
  const APART = [
    "SendGrid",
    "Twilio",
    "Mailgun",
    "Telegram",
    "Terraform",
    "Entra ID",
    "Discord bot",
    "Voyage",
    "Modal, id",
    "Asana",
    "Azure DevOps",
    "Azure, newer",
    "Mailchimp",
    "Z.ai",
  ];
  const GLUED = Object.entries(FORMATS).filter(([name]) => !APART.includes(name));

  describe.each(GLUED)("%s with letters glued before it", (_name, spec) => {
    it.each(["x", "N", "7", "token", "Xkey"])("is taken out behind %s", (glue) =>
      fc.assert(
        fc.property(format(spec), (value) => {
          fc.pre(!/[aeiou]$/.test(glue));
          expect(shown(`a ${glue}${value} b`)).not.toContain(value.slice(-20));
        }),
        { numRuns: Math.ceil((runs * 3) / 10) },
      ),
    );
  });
}
