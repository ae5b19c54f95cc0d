import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/create.ts";
import type { RuntimeInternals } from "../../src/runtime/runtime.ts";
import { listening, PUBLIC } from "../egress/stand-in.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-clients-")));
const [work, made] = [join(base, "work"), join(base, "made")];
const sh = (script: string, cwd = made) =>
  execFileSync("/bin/bash", ["-ec", script], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const text = (path: string, content: string) => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
};

/** What the internet would answer, with a certificate of its own. */
function internet(): ReturnType<typeof createServer> {
  sh(`openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=stand-in -keyout ca.key -out ca.pem -addext basicConstraints=critical,CA:TRUE
openssl req -newkey rsa:2048 -nodes -subj /CN=x -keyout s.key -out s.csr
echo "subjectAltName=DNS:a.example,DNS:*.a.example" > e
openssl x509 -req -in s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile e -out s.pem
git init -q -b main r && cd r && echo hi > a && git add a && git -c user.name=a -c user.email=a@a.example commit -qm one
cd .. && git clone -q --bare r r.git && git -C r.git update-server-info`);
  const info = join(made, "w/hello-1.0.dist-info");
  text(join(made, "w/hello.py"), "x = 1\n");
  text(join(info, "METADATA"), "Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n");
  text(join(info, "WHEEL"), "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
  text(join(info, "RECORD"), "hello.py,,\nhello-1.0.dist-info/METADATA,,\nhello-1.0.dist-info/WHEEL,,\nhello-1.0.dist-info/RECORD,,\n");
  text(join(made, "g/a.example/hello@v1.0.0/go.mod"), "module a.example/hello\n");
  text(join(made, "g/a.example/hello@v1.0.0/h.go"), "package hello\nfunc X() int { return 1 }\n");
  text(join(made, "c/hello-1.0.0/Cargo.toml"), '[package]\nname="hello"\nversion="1.0.0"\nedition="2021"\n');
  text(join(made, "c/hello-1.0.0/src/lib.rs"), "pub fn x() {}\n");
  sh(`zip() { python3 -c 'import zipfile,os,sys
z=zipfile.ZipFile(sys.argv[1],"w")
[z.write(os.path.join(r,f)) for r,_,fs in os.walk(".") for f in fs]' "$1"; }
(cd w && zip ../hello-1.0-py3-none-any.whl); (cd g && zip ../mod.zip); tar -C c -czf hello.crate hello-1.0.0`);
  const crate = readFileSync(join(made, "hello.crate"));
  const cksum = createHash("sha256").update(crate).digest("hex");
  const answers: Record<string, string | Buffer> = {
    "/": "a page\n",
    "/simple/hello/": '<a href="/f/hello-1.0-py3-none-any.whl">hello-1.0-py3-none-any.whl</a>',
    "/f/hello-1.0-py3-none-any.whl": readFileSync(join(made, "hello-1.0-py3-none-any.whl")),
    "/index/config.json": '{"dl":"https://a.example/crates"}',
    "/index/he/ll/hello": JSON.stringify({ name: "hello", vers: "1.0.0", deps: [], cksum, features: {}, yanked: false }),
    "/crates/hello/1.0.0/download": crate,
    "/a.example/hello/@v/list": "v1.0.0\n",
    "/a.example/hello/@v/v1.0.0.info": '{"Version":"v1.0.0","Time":"2024-01-01T00:00:00Z"}',
    "/a.example/hello/@v/v1.0.0.mod": "module a.example/hello\n",
    "/a.example/hello/@v/v1.0.0.zip": readFileSync(join(made, "mod.zip")),
    "/maven/x/parent/1/parent-1.pom":
      "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>parent</artifactId><version>1</version><packaging>pom</packaging></project>",
  };
  return createServer({ key: readFileSync(join(made, "s.key")), cert: readFileSync(join(made, "s.pem")) }, (request, response) => {
    const path = (request.url ?? "").split("?")[0]!;
    const file = join(made, path);
    if (path.startsWith("/simple/")) response.setHeader("content-type", "text/html");
    if (path.startsWith("/r.git/") && existsSync(file) && statSync(file).isFile()) return response.end(readFileSync(file));
    response.statusCode = path in answers ? 200 : 404;
    response.end(answers[path] ?? "");
  });
}

let inside: RuntimeInternals;
let server: ReturnType<typeof createServer>;
beforeAll(async () => {
  mkdirSync(work);
  mkdirSync(made);
  server = internet();
  const port = await listening(server);
  writeFileSync(join(work, "ca.pem"), readFileSync(join(made, "ca.pem")));
  inside = await openRuntime({
    cwd: work,
    store: "memory",
    config: { audit: { path: join(base, "audit.jsonl") }, tools: { sandbox: { allow_domains: ["a.example", "*.a.example"] } } },
    egress: {
      registries: async () => [],
      wires: { lookup: async () => [PUBLIC], dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }) },
    },
  });
});
afterAll(async () => {
  await inside?.zeph.close();
  server?.close();
  rmSync(base, { recursive: true, force: true });
});

const CA =
  "export C=$PWD/ca.pem; export SSL_CERT_FILE=$C CURL_CA_BUNDLE=$C PIP_CERT=$C REQUESTS_CA_BUNDLE=$C GIT_SSL_CAINFO=$C CARGO_HTTP_CAINFO=$C NODE_EXTRA_CA_CERTS=$C;";
const has = (program: string): boolean => {
  try {
    sh(`command -v ${program}`, "/");
    return true;
  } catch {
    return false;
  }
};
const cargoIndex = `export PATH="$(ls -d "$RUSTUP_HOME"/toolchains/stable*/bin 2>/dev/null | head -1):$PATH"; mkdir -p cr/src cr/.c && cd cr && touch src/lib.rs && export CARGO_HOME=$PWD/.c && printf '[source.crates-io]\\nreplace-with="s"\\n[source.s]\\nregistry="sparse+https://a.example/index/"\\n' > .c/config.toml && printf '[package]\\nname="a"\\nversion="0.1.0"\\nedition="2021"\\n[dependencies]\\nhello="1"\\n' > Cargo.toml && cargo fetch && cat Cargo.lock`;
const maven = `mkdir -p mv && cd mv && echo '<settings><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf><url>https://a.example/maven</url></mirror></mirrors></settings>' > s.xml && echo '<project><modelVersion>4.0.0</modelVersion><parent><groupId>x</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent><artifactId>a</artifactId></project>' > pom.xml && MAVEN_OPTS=-Dmaven.wagon.http.ssl.insecure=true mvn -q -B -s s.xml -Dmaven.repo.local=$PWD/m2 validate; ls m2/x/parent/1/`;

/** The client, the program that has to be there, what it is asked for, and what shows that it worked. */
const CLIENTS: readonly (readonly [client: string, program: string, command: string, shows: RegExp])[] = [
  ["curl", "curl", "curl -fsS https://a.example/", /a page/],
  ["curl by SOCKS5", "curl", "curl -fsS -x socks5h://127.0.0.1:3128 https://a.example/", /a page/],
  ["wget", "wget", "wget -qO- --ca-certificate=ca.pem https://a.example/", /a page/],
  ["Python's urllib", "python3", `python3 -c 'import urllib.request as u; print(u.urlopen("https://a.example/").read())'`, /a page/],
  [
    "pip",
    "pip",
    "python3 -m pip install --cert $C --no-cache-dir --target pt --index-url https://a.example/simple hello; ls pt",
    /hello\.py/,
  ],
  ["git over https", "git", "git clone -q https://a.example/r.git cl && cat cl/a", /hi/],
  [
    "go",
    "go",
    "mkdir -p go1 && cd go1 && printf 'module b\\ngo 1.19\\n' > go.mod && GOPROXY=https://a.example GONOSUMDB='*' GONOSUMCHECK=1 GOFLAGS=-mod=mod go get a.example/hello@v1.0.0 && cat go.mod",
    /a\.example\/hello v1/,
  ],
  ["cargo with a sparse index", "cargo", cargoIndex, /name = "hello"/],
  ["Maven", "mvn", maven, /parent-1\.pom/],
];

it.each(CLIENTS)("%s reaches a name that is open, through a tunnel", async (_, program, command, shows) => {
  if (!has(program)) return expect(program).not.toBe("curl");
  const outcome = await inside.zeph.call("bash", { command: `${CA} ${command}`, timeout: 300 });
  expect(`${outcome.ok ? "" : outcome.error.message}\n${outcome.output?.text}`).toMatch(shows);
});
