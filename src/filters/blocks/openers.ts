/** A line that no other program prints: here, or above it, its output begins. */
export interface Opener {
  readonly see: RegExp;
  /** The command whose rules know what follows; `$1` is the script or folder that the line names. */
  readonly as: string;
  /** `run`: with such a line the program begins. `item`: with such a line it begins, and prints many. `line`: one of its lines, of which it prints many. */
  readonly is: "run" | "item" | "line";
  /** What the next line must look like, where this one may be anybody's. */
  readonly then?: RegExp;
}

const run = (as: string, see: RegExp, then?: RegExp): Opener => ({ see, as, is: "run", ...(then && { then }) });
const line = (as: string, see: RegExp, then?: RegExp): Opener => ({ see, as, is: "line", ...(then && { then }) });

const item = (as: string, see: RegExp, then?: RegExp): Opener => ({ ...line(as, see, then), is: "item" });

const HASH = "[0-9a-f]{7,40}";

/** Only what cannot be mistaken. A program that is missing here is still read by its rules, together with what was printed before it. */
export const OPENERS: readonly Opener[] = [
  run("git status", /^(?:On branch \S+|HEAD detached (?:at|from) \S+|Not currently on any branch\.)$/),
  item("git diff", /^diff --(?:git a\/.* b\/.*|cc .+|combined .+)$/),
  item("git log", new RegExp(`^commit ${HASH}(?: \\([^)]*\\))?$`), /^(?:Author|Merge|AuthorDate|tree): /),
  run("git commit", new RegExp(`^\\[[^\\]\\s]{1,200}(?: \\(root-commit\\))? ${HASH}\\] \\S`)),
  run("git push", /^To (?:\w+:\/\/\S+|[\w.-]+@[\w.-]+:\S+|\.{0,2}\/\S+)$/),
  run("git push", /^Everything up-to-date$/),
  line("git push", /^(?:remote: |Enumerating objects: \d|Counting objects: +\d)/),
  run("git fetch", /^From (?:\w+:\/\/\S+|[\w.-]+@[\w.-]+:\S+|\.{0,2}\/\S+)$/),
  run("git clone", /^Cloning into (?:bare repository )?'[^']+'\.\.\.$/),
  run("git pull", new RegExp(`^Updating ${HASH}\\.\\.${HASH}$`)),
  run("git checkout", /^(?:Switched to (?:a new )?branch '|Already on '|Note: switching to ')/),
  run("git reset", new RegExp(`^HEAD is now at ${HASH} `)),
  run("npm run $1", /^> (?:@[\w.-]+\/)?[\w.-]+@\d\S* ([\w:.-]+)(?: \/\S+)?$/, /^> /),
  run("npm ls", /^(?:@[\w.-]+\/)?[\w.-]+@\d\S* \/\S+$/, /^[├└+`]/),
  run("npm outdated", /^Package +Current +Wanted +Latest /),
  run("npm audit", /^# npm audit report$/),
  line("npm install", /^npm (?:warn|WARN|error|ERR!|notice)(?: |$)/),
  line("npm install", /^(?:(?:added|removed|changed) \d+ packages?\b|up to date(?:,| in )|audited \d+ packages?\b)/),
  run("yarn $1", /^yarn (run|install|add|remove|upgrade) v\d+\.\d/),
  line("yarn install", /^➤ YN\d{4}: /),
  run("pnpm $1", /^Scope: (?:all )?\d+ (?:of \d+ )?workspace projects?$/),
  line("pnpm install", /^(?:Packages: [+-]\d+|Progress: resolved \d+, reused \d+, downloaded \d+|Lockfile is up to date, )/),
  run("bun $1", /^bun (install|add|test|run|remove) v\d+\.\d/),
  line(
    "pip install",
    /^(?:Collecting [A-Za-z]\S+(?: \(from .*\))?|Requirement already satisfied: \S+.*|Obtaining file:\/\/\S+|Looking in indexes: \S+.*)$/,
  ),
  run("pip list", /^Package +Version(?: |$)/, /^-{3,} /),
  run("uv sync", /^Resolved \d+ packages? in [\d.]+m?s$/),
  line(
    "cargo build",
    /^ {1,11}(?:Compiling|Checking|Locking|Downloading|Downloaded|Documenting|Fresh|Dirty|Updating|Blocking) (?:\S+ v\d|\d+ |crates|crates\.io|file lock)/,
  ),
  line("cargo test", /^ {3,5}(?:Running (?:unittests |tests\/|benches\/)\S+|Doc-tests \S+)/),
  run("deno test", /^running \d+ tests? from \S/),
  line("cargo test", /^running \d+ tests?$/),
  line(
    "go test",
    /^(?:=== (?:RUN|PAUSE|CONT|NAME) {2,3}\S+|--- (?:FAIL|PASS|SKIP): \S+ \([\d.]+s\)|(?:ok {2}|FAIL|\? {3})\t\S+(?:\t.*)?)$/,
  ),
  line("go build", /^# \S+$/, /^(?:\.\/|\.\.\/|vet: )?\S+\.go:\d+:\d+: /),
  line("go build", /^go: (?:downloading|finding|extracting) \S+ v\S+$/),
  run("pytest", /^=+ test session starts =+$/),
  run("manage.py test", /^Found \d+ test\(s\)\.$/),
  line("jest", /^ ?(?:PASS|FAIL) (?:[\w@.-]+ )?\S+\.(?:[cm]?[jt]sx?|vue|svelte)(?: \([\d.]+ m?s\))?$/),
  run("vitest run", /^ ?(?:RUN|DEV) {1,2}v\d+\.\d\S* \S+$/),
  run("node --test", /^TAP version 1[34]$/),
  line("node --test", /^(?:▶ .+|[✔✖] .+ \([\d.]+ms\))$/),
  run("playwright test", /^Running \d+ tests? using \d+ workers?$/),
  run("tap", /^1\.\.\d+$/, /^(?:not )?ok 1\b/),
  run("ctest", /^\[={10}\] Running \d+ tests? from \d+ test (?:suites?|cases?)\.$/),
  run("coverage report", /^Name +Stmts +Miss /),
  run("phpunit", /^PHPUnit \d+\.\d\S* by Sebastian Bergmann/),
  run("ctest", /^Test project \/\S+$/),
  run("dotnet test", /^Test run for \S+\.dll /),
  line("dotnet build", /^ {2}(?:Determining projects to restore\.\.\.|All projects are up-to-date for restore\.)$/),
  line("make", /^(?:g|k)?make(?:\[\d+\])?: (?:Entering|Leaving) directory /),
  line("make", /^(?:g|k)?make(?:\[\d+\])?: (?:\*\*\* |Nothing to be done for )/),
  line("make", /^(?:\/\S+\/)?(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)? (?=.* -[co] ?\S|-[co] ?\S)/),
  line(
    "cmake .",
    /^-- (?:The \S+ compiler identification is |Detecting \S+ compil|Check for working |Performing Test |Looking for |Configuring (?:done|incomplete)|Generating done|Build files have been written to: )/,
  ),
  line("cmake --build .", /^\[ {0,2}\d{1,3}%\] (?:Building|Linking|Built target|Generating) /),
  line("ninja", /^\[\d+\/\d+\] (?:Building|Linking|Compiling) (?:\S+ (?:object|executable|static|shared) |target )/),
  line("./configure", /^checking (?:for|whether|build system|host system) .{1,300}\.\.\./),
  run("mvn test", /^\[INFO\] Scanning for projects\.\.\.$/),
  line("gradle build", /^> (?:Task|Configure project) :\S*/),
  run("ls -l", /^total \d+(?:\.\d)?[KMG]?$/, /^[-bcdlps][-rwxsStT]{9}[.+@]? /),
  run("tree", /^\.$/, /^[├└]── /),
  run("df", /^Filesystem +(?:Size|Type|Inodes|\S*[Bb]locks) /),
  run("free", /^ {4,}total +used +free /),
  run("uptime", /^ ?\d\d:\d\d:\d\d up .{1,80} load average: /),
  run("ps aux", /^(?:USER +PID|UID +PID| +PID) /),
  run("docker ps", /^CONTAINER ID +IMAGE +COMMAND/),
  run("docker images", /^REPOSITORY +TAG +IMAGE ID/),
  run("docker push", /^The push refers to repository \[/),
  run("docker pull", /^[\w.-]+: Pulling from \S+$/),
  run("kubectl get pods", /^NAME +(?:READY +STATUS|TYPE +CLUSTER-IP|STATUS +ROLES) /),
  run("wget", /^--\d{4}-\d\d-\d\d \d\d:\d\d:\d\d-- {2}\w+:\/\//),
  run("curl", /^ {2}% Total {4}% Received % Xferd/),
  run("rsync", /^sending incremental file list$/),
  line("docker build .", /^#\d+ (?:\[internal\] |building with )/),
  run("docker build .", /^(?:Sending build context to Docker daemon |\[\+\] Building \d)/),
  line(
    "docker compose up",
    /^(?:\[\+\] Running \d| (?:[⠀-⣿✔] )?(?:Container|Network|Volume) \S+ {1,4}(?:Creating|Created|Starting|Started|Running))/,
  ),
  run("terraform init", /^Initializing (?:the backend|provider plugins|modules)\.\.\.$/),
  run("terraform plan", /^Terraform used the selected providers to generate the following execution$/),
  run("apt-get install", /^Reading package lists\.\.\./),
  line("apt-get update", /^(?:Get|Hit|Ign):\d+ https?:\/\//),
  run("vite build", /^vite v\d+\.\d\S* building .*\.\.\.$/),
  run("prettier --check .", /^Checking formatting\.\.\.$/),
  line("webpack", /^(?:asset \S+ [\d.]+ (?:bytes|KiB|MiB) |webpack \d+\.\d\S* compiled )/),
  run("ansible-playbook", /^PLAY \[/),
  run("composer install", /^Loading composer repositories with package information$/),
  line("bundle install", /^Fetching gem metadata from /),
  run("next build", /^ *▲ Next\.js \d/),
  run("rollup -c", /^\S.{0,200} → \S.{0,200}\.\.\.$/),
  line("eslint", /^\/\S+\.(?:[cm]?[jt]sx?|vue|svelte)$/, /^ +\d+:\d+ +(?:error|warning) /),
  line("pylint", /^\*{5,} Module \S+$/),
  line("shellcheck", /^In \S+ line \d+:$/),
  run("rubocop", /^Inspecting \d+ files?$/),
  line("tsc", /^\S+\.[cm]?tsx?(?:\(\d+,\d+\): |:\d+:\d+ - )error TS\d+: /),
];

/** All in one pattern: nearly every line is none, and is looked at once. */
const ANY = new RegExp(OPENERS.map(({ see }) => `(?:${see.source})`).join("|"));
const LONGEST = 500;

export interface ProgramOpening {
  readonly opener: Opener;
  /** The command whose output begins. */
  readonly as: string;
  /** The script or folder that the line names; null when it names none. */
  readonly named: string | null;
}

/** What begins at a line, if it is certain. */
export function openingAt(text: string, next: string): ProgramOpening | null {
  if (text.length > LONGEST || !ANY.test(text)) return null;
  for (const opener of OPENERS) {
    const found = opener.see.exec(text);
    if (!found || (opener.then && !opener.then.test(next))) continue;
    const named = found[1] ?? null;
    return { opener, as: opener.as.replace("$1", named ?? "").trim(), named };
  }
  return null;
}
