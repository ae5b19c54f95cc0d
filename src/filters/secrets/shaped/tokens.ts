import type { Family } from "../span.ts";

/**
 * The formats providers give their keys: a prefix that names the provider, and what follows. Each row is a fact from the provider's own
 * documentation or from public collections of formats (docs/secrets.md). Lengths are the shortest known, so that a longer key of tomorrow
 * is still found.
 */
export interface TokenFormat {
  readonly family: Family;
  readonly prefix: string;
  /** What follows, as a pattern. Every repetition fails fast: it is tried wherever the prefix stands. */
  readonly body: string;
  /** The prefix is also the start of ordinary words: what follows must be random. */
  readonly doubtful: boolean;
}

const W = "[A-Za-z0-9]";
const U = "[A-Za-z0-9_-]";
const H = "[a-fA-F0-9]";
const B = "[A-Za-z0-9+/]";
const UUID = `${H}{8}-${H}{4}-${H}{4}-${H}{4}-${H}{12}`;

type Row = readonly [prefixes: string, body: string, doubtful?: "doubtful"];

const CLOUD: readonly Row[] = [
  ["AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}"],
  ["A3T", "[A-Z0-9]{17}", "doubtful"],
  ["AIza", `${U}{35}`],
  ["ya29.", `${U}{20,}`],
  ["1//", `0${U}{40,}`],
  ["GOCSPX-", `${U}{24,}`],
  ["AQ.", `Ab${U}{30,}`],
  ["LTAI", `${W}{12,26}`, "doubtful"],
  ["AKID", `${W}{32}`, "doubtful"],
  ["AKLT", `${U}{30,}`, "doubtful"],
  ["AQVN", `${U}{35,38}`, "doubtful"],
  ["dop_v1_ doo_v1_ dor_v1_", `${H}{40,}`],
  ["HRKU-", `${U}{30,}`],
  ["fo1_", `${U}{40,}`],
  ["v1.", `0-${H}{24}-${H}{100,}`],
  ["hvs. hvb. hvr.", `${U}{20,}`],
  ["s.", `(?=[A-Za-z]{0,23}\\d)${W}{24}`, "doubtful"],
  ["sbp_", `${H}{40}`],
  ["sb_secret_", `${U}{20,}`],
  ["pscale_tkn_ pscale_oauth_ pscale_pw_", "[\\w=.-]{32,64}"],
  ["dapi", `${H}{32}(?:-\\d)?`],
  ["tskey-", `${U}{20,}`],
  ["scw-secret-key:", UUID],
  ["pul-", `${H}{40}`],
  ["dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", `${W}{40,}`],
  ["sha256~", `${U}{43}`],
  ["napi_", "[a-z0-9]{40,}"],
];

const ACCESS: readonly Row[] = [
  ["ghp_ gho_ ghu_ ghs_ ghr_", `${W}{30,}`],
  ["github_pat_", "[A-Za-z0-9_]{36,}"],
  ["glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glffct- glagent- gloas- glimt- glwt-", `${U}{20,}(?:\\.[0-9a-z]{2,16}){0,2}`],
  ["GR1348941", `${U}{20,}`],
  ["_gitlab_session=", `${W}{32,}`],
  ["ATATT3 ATCTT3", `[A-Za-z0-9_=-]{60,}`],
  ["ATBB", `${W}{28,}`, "doubtful"],
  ["npm_", `${W}{36,}`],
  ["pypi-AgE", `${U}{40,}`],
  ["rubygems_", `${H}{48}`],
  ["cio", `${W}{32}`, "doubtful"],
  ["CLOJARS_", `${W}{60}`],
  ["oy2", "[a-z0-9]{43}", "doubtful"],
  ["dckr_pat_ dckr_oat_", `${U}{20,}`],
  ["AKCp", `${W}{60,}`],
  ["cmVmd", `${W}{59}`, "doubtful"],
  ["sqp_ squ_ sqa_", `${H}{40}`],
  ["xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc-", `(?:\\d{6,}-[A-Za-z0-9-]{10,}|\\d-[A-Za-z0-9-]{12,}|(?=[A-Za-z]{0,30}\\d)${W}{12,})`],
  ["xoxd-", "[A-Za-z0-9%]{40,}"],
  ["xapp-", "\\d-[A-Z0-9]+-\\d+-[a-z0-9]{8,}"],
  ["xwfp-", "[A-Za-z0-9-]{20,}", "doubtful"],
  ["sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", `${W}{10,}`],
  ["sk_", `${H}{48}`],
  ["sk-proj- sk-svcacct- sk-admin- sk-None- sk-ant- sk-or-v1- sk-lf-", `${U}{20,}`],
  ["sk-", `${U}{20,}`, "doubtful"],
  ["gsk_", `${W}{40,}`],
  ["hf_ api_org_", `${W}{30,}`, "doubtful"],
  ["pplx-", `${W}{40,}`],
  ["xai-", `${U}{60,}`],
  ["nvapi-", `${U}{50,}`],
  ["csk-", `${W}{40,}`, "doubtful"],
  ["r8_", `${W}{30,}`],
  ["tvly-", `${U}{24,}`],
  ["fc-", `${H}{32}`],
  ["jina_ tgp_v1_", `${U}{40,}`],
  ["pa-", `${U}{40,}`, "doubtful"],
  ["ak- as-", `${W}{22}`, "doubtful"],
  ["e2b_", `${H}{40}`],
  ["KGAT_", `${H}{32}`],
  ["key_", `${H}{64}`],
  ["phx_", `${W}{40,}`],
  ["pcsk_", `${W}{5,}_${W}{40,}`],
  ["lsv2_pt_ lsv2_sk_", `${H}{32}_${H}{10}`],
  ["fw_", `${W}{22,}`, "doubtful"],
  ["ntn_", `${W}{40,}`],
  ["secret_", `${W}{43}`, "doubtful"],
  ["lin_api_ lin_oauth_", `${W}{32,}`],
  ["sntryu_", `${H}{40,}`],
  ["SG.", `${U}{16,32}\\.${U}{16,64}`],
  ["key-", `${H}{32}`],
  ["xkeysib- xsmtpsib-", `${H}{64}-${W}{16}`],
  ["SK", `${H}{32}`],
  ["shpat_ shpca_ shppa_ shpss_ shptka_", `${H}{32}`],
  ["sq0atp- sq0csp-", `${U}{22,}`],
  ["EAAA", `${U}{50,}`, "doubtful"],
  ["EAAM EAAC EAAG", `${W}{80,}`, "doubtful"],
  ["PMAK-", `${H}{24}-${H}{34}`],
  ["NRAK-", `[A-Z0-9]{27}`],
  ["NRII- NRIQ- NRRA-", `${U}{24,}`],
  ["NRJS-", `${H}{19}`],
  ["glsa_", `${W}{32}_${H}{8}`],
  ["eyJrIjoi", `${W}{60,}={0,2}`],
  ["hcaik_ hcbik_ hcxik_", `[a-z0-9]{50,}`],
  ["dt0c01. dt0s01. dt0s16.", `[A-Z0-9]{24}\\.[A-Z0-9]{64}`],
  ["figd_ figu_ figo_", `${U}{30,}`],
  ["nfp_ nfo_ nfc_ nfu_ nfb_", `${W}{36,}`],
  ["CCIPAT_ CCIPRJ_", `${W}{16,}_${H}{40}`],
  ["bkua_ bkct_", `${H}{40}`],
  ["CFPAT-", `${U}{40,}`],
  ["pat", `${W}{14}\\.${H}{64}`],
  ["pat. sat.", `${U}{22}\\.${W}{24}\\.${W}{20}`],
  ["tfp_", `[A-Za-z0-9_.=-]{40,}`],
  ["rdme_", "[a-z0-9]{70}"],
  ["pnu_", `${W}{36}`],
  ["ico-", `${W}{32}`, "doubtful"],
  ["API-", "[A-Z0-9]{26}", "doubtful"],
  ["EZAK EZTK", `${W}{54}`],
  ["duffel_live_ duffel_test_", `[A-Za-z0-9_=-]{43}`],
  ["shippo_live_ shippo_test_", `${H}{40}`],
  ["FLWSECK_TEST- FLWSECK-", `${W}{12,}(?:-X)?`],
  ["access_token$production$ access_token$sandbox$", `${W}{16}\\$${H}{32}`],
  ["access-sandbox- access-development- access-production-", UUID],
  ["rnd_", `${W}{28,}`, "doubtful"],
  ["re_", `${W}{8,}_${W}{20,}`, "doubtful"],
  ["waka_", UUID],
  ["A3-", "[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}"],
  ["p8e-", `${W}{32}`],
  ["sgp_", `(?:(?:${H}{16}|local)_)?${H}{40}`],
  ["fio-u-", `[A-Za-z0-9_=-]{64}`],
  ["dnkey-", `[A-Za-z0-9_=-]{26}-[A-Za-z0-9_=-]{52}`],
  ["s-s4t2ud- s-s4t2af-", `${H}{64}`],
  ["sm_aat_ sm_pat_ sm_sat_", `${W}{16}`],
  ["tk-us-", `${U}{48}`],
  ["sl.u.", `[A-Za-z0-9_=-]{100,}`],
  ["sl.", `[A-Za-z0-9_=-]{100,}`, "doubtful"],
  ["django-insecure-", "[^\\s'\"`\\\\]{30,}"],
  ["vercel_blob_rw_", `[A-Za-z0-9_]{20,}`],
  ["vcp_ vci_ vca_ vcr_ vck_", `${W}{24,}`, "doubtful"],
  ["ddp_ ddw_", `${W}{36,}`],
  ["sdk- api- mob-", UUID],
  ["sec_ sct_", `${H}{64}`, "doubtful"],
];

const HOOKS: readonly Row[] = [
  ["discord.com/api/webhooks/ discordapp.com/api/webhooks/", `\\d{15,20}/${U}{20,}`],
  ["/webhooks/", `\\d{17,20}/${U}{60,}`],
  [".webhook.office.com/webhookb2/", "[A-Za-z0-9@/-]{36,}"],
  ["outlook.office.com/webhook/", "[A-Za-z0-9@/-]{36,}"],
  ["maker.ifttt.com/use/ /with/key/", `${U}{16,}`],
  ["/hooks/", "[a-z0-9]{26}"],
  ["/open-apis/bot/v2/hook/", UUID],
  ["qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", UUID],
];

/** Base64, which `+` and `/` break into short runs. */
const CLOUD_BASE64: readonly Row[] = [
  ["ABSK", `${B}{60,}={0,2}`, "doubtful"],
  ["fm1a_ fm1r_ fm2_", `${B}{60,}={0,3}`],
];
const ACCESS_BASE64: readonly Row[] = [
  ["sntrys_", "[A-Za-z0-9+/=_-]{40,}"],
  ["glc_", `${B}{32,}={0,2}`],
  ["ops_eyJ", "[A-Za-z0-9+/_-]{100,}={0,3}"],
  ["cflt", `${B}{60,}={0,2}`],
  ["whsec_", `${B}{24,}={0,2}`],
];

/** Behind these come short parts first. */
const PATHS: readonly Row[] = [
  ["hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,}"],
  ["hooks.zapier.com/hooks/catch/", `\\d{3,12}/${W}{5,}`],
];

const KEYS: readonly Row[] = [["AGE-SECRET-KEY-1 AGE-PLUGIN-", "[A-Z0-9-]{40,}"]];

const formats = (family: Family, rows: readonly Row[]): TokenFormat[] =>
  rows.flatMap(([prefixes, body, doubtful]) =>
    prefixes.split(" ").map((prefix) => ({ family, prefix, body, doubtful: doubtful !== undefined })),
  );

export const BASE64: readonly TokenFormat[] = [...formats("cloud-key", CLOUD_BASE64), ...formats("access-token", ACCESS_BASE64)];

export const tokenFormats = (): readonly TokenFormat[] => [
  ...formats("cloud-key", CLOUD),
  ...formats("access-token", ACCESS),
  ...formats("webhook", HOOKS),
  ...formats("private-key", KEYS),
  ...BASE64,
];

/** Formats with no long run right behind the prefix: it is searched for by itself. */
export const MARKED: readonly TokenFormat[] = [
  ...formats("webhook", PATHS),
  ...formats("cloud-key", [["dp.st.", `${U}{1,40}\\.${W}{40,}`]]),
  ...formats("access-token", [["snyk_uat. snyk_sat.", `${H}{8}\\.${U}{60,}`]]),
];

/** Formats known by something in their middle: what must stand before it, and how it goes on from there. */
export interface Infix {
  readonly family: Family;
  readonly middle: string;
  readonly head: RegExp;
  readonly tail: RegExp;
}

/** A client secret of Entra ID. */
export const ENTRA: Infix = {
  family: "cloud-key",
  middle: "Q~",
  head: /[A-Za-z0-9_~.-]{3}\d$/,
  tail: /Q~[A-Za-z0-9_~.-]{31,34}(?![\w~-])/y,
};

/** These have a long run right behind the middle: Terraform, Telegram's bots, Asana. */
export const INFIXES: readonly Infix[] = [
  { family: "cloud-key", middle: ".atlasv1.", head: /[A-Za-z0-9]{14}$/, tail: /\.atlasv1\.[A-Za-z0-9_=-]{40,}/y },
  { family: "access-token", middle: ":", head: /(?<![\d/])[12]\/\d{10,20}(?:\/\d{10,20})?$/, tail: /:[a-f0-9]{32}(?![A-Za-z0-9_-])/y },
  { family: "access-token", middle: ":", head: /\d{6,12}$/, tail: /:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])/y },
];

/** Known by the shape of their runs alone. What tells at once that it is something else comes first. */
export interface Shape {
  readonly ending: (text: string, end: number) => boolean;
  readonly first: RegExp;
  readonly whole: RegExp;
}

/** Discord's bots, whose first part is a number in base64, MaxMind, Azure DevOps, newer keys of Azure, Mailchimp, Z.ai. */
export const SHAPES: readonly Shape[] = [
  {
    ending: (text, end) => text[end] === ".",
    first: /[MNO]/,
    whole: /[MNO][TDjzQAgw][A-Za-z0-9_-]{20,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{25,45}(?![\w-])/y,
  },
  {
    ending: (text, end) => text.startsWith("_mmk", end - 4),
    first: /[A-Za-z0-9]/,
    whole: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/y,
  },
  {
    ending: (text, end) => text.startsWith("AZDO", end - 8),
    first: /[A-Za-z0-9]/,
    whole: /[A-Za-z0-9]{76,82}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/y,
  },
  {
    ending: (text, end) => text.startsWith("JQQJ99", end - 32),
    first: /[A-Za-z0-9]/,
    whole: /[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}(?![A-Za-z0-9])/y,
  },
  {
    ending: (text, end) => text.startsWith("-us", end - 4) || text.startsWith("-us", end - 5),
    first: /[a-f0-9]/,
    whole: /[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/y,
  },
  {
    // A file whose name begins with a hash has an ending of words, if any.
    ending: (text, end) => text[end] === ".",
    first: /[a-f0-9]/,
    whole:
      /[a-f0-9]{32}\.(?=[^a-z]{0,15}[a-z])(?=[^A-Z]{0,15}[A-Z])(?![a-z]{0,16}(?:[A-Z][a-z]{1,16}){0,8}\d{0,16}(?!\w))[A-Za-z0-9]{16}(?![\w.-])/y,
  },
];
