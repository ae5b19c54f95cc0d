/** The variables a command gets: a few of ours, those of the parent that are known to be harmless, and what the caller adds on purpose. */
export function commandEnvironment({ parent, network, path, home, temp, added = {} }: EnvironmentSources): Record<string, string> {
  const inherited: Record<string, string> = {};
  // Names first: the system is asked for each value.
  for (const name of Object.keys(parent)) {
    const isProxy = network === "open" && PROXY.test(name);
    const value = isProxy || isHarmlessVariable(name) ? parent[name] : undefined;
    if (value !== undefined && !(isProxy && value.includes("@"))) inherited[name] = value;
  }
  return { ...inherited, ...FIXED, PATH: path, HOME: home, TMPDIR: temp, ...added };
}

export interface EnvironmentSources {
  readonly parent: Readonly<Record<string, string | undefined>>;
  readonly network: "open" | "closed";
  readonly path: string;
  readonly home: string;
  readonly temp: string;
  /** Given on purpose (a turn's exports, a skill's variables), so it is not filtered. */
  readonly added?: Readonly<Record<string, string>>;
}

/** Allow-list first; the deny list still wins, so that widening one cannot undo the other. */
export const isHarmlessVariable = (name: string): boolean => ALLOWED.test(name) && !isSecretVariable(name);
export const isSecretVariable = (name: string): boolean => SECRET_PREFIX.test(name) || SECRET_WORD.test(name);

export const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

const FIXED = {
  USER: "agent",
  LOGNAME: "agent",
  SHELL: "/bin/bash",
  TERM: "dumb",
  // One language: results are recognised by their words.
  LANG: "C.UTF-8",
  PAGER: "cat",
  GIT_PAGER: "cat",
  // Nobody is there to answer.
  GIT_TERMINAL_PROMPT: "0",
};

const ALLOWED = /^(?:TZ|COLUMNS|LINES|NO_COLOR|CI|SOURCE_DATE_EPOCH|NODE_ENV)$/;
const SECRET_PREFIX = new RegExp(
  `^(?:${[
    "ZEPH|AWS|AZURE|ARM|GCP|GOOGLE|GCLOUD|CLOUDSDK|DIGITALOCEAN|CLOUDFLARE|CF|HEROKU|VERCEL|NETLIFY|FLY|RAILWAY",
    "OPENAI|ANTHROPIC|CLAUDE|GEMINI|HF|HUGGING_FACE|HUGGINGFACE|MISTRAL|COHERE|GROQ|XAI|DEEPSEEK|OPENROUTER|REPLICATE|TOGETHER|OLLAMA",
    "GITHUB|GH|GITLAB|CI_JOB|BITBUCKET|NPM|PYPI|TWINE|CARGO_REGISTRY|DOCKER|KUBE|VAULT|SSH|GPG|OTEL|SENTRY|DATADOG|DD|STRIPE|SLACK|TWILIO|SENDGRID",
    "PG|POSTGRES|MYSQL|REDIS|MONGO|MONGODB|DATABASE|DB|SUPABASE",
  ].join("|")})_`,
  "i",
);
const SECRET_WORD =
  /(?:^|_)(?:TOKEN|TOKENS|KEY|KEYS|APIKEY|SECRET|SECRETS|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIAL|CREDENTIALS|AUTH|COOKIE|DSN|PRIVATE)(?:_|$)|PASSWORD|SECRET|_UR[IL]$/i;

/** A proxy is needed to reach anything behind one; with a password in its address it is a secret. */
const PROXY = /^(?:https?|no|all)_proxy$/i;
