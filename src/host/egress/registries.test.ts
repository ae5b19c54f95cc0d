import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRegistries } from "./registries.ts";
import { REGISTRY_TOOLS, registryHosts } from "./registry-tools.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-registries-")));
  for (const folder of ["home/bin", "work/bin"]) mkdirSync(join(base, folder), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const put = (path: string, text: string, mode = 0o644) => {
  const file = join(base, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
};
/** A stand-in for a package manager: it says where it is, and prints. */
const tool = (path: string, script: string) => put(path, `#!/bin/sh\n${script}\n`, 0o755);
const registries = (env: Record<string, string> = {}, more: { timeoutMs?: number } = {}) =>
  createRegistries({
    ...more,
    home: join(base, "home"),
    env: { PATH: `${base}/home/bin:${base}/work/bin`, ...env },
    workspaces: () => [join(base, "work")],
    tools: REGISTRY_TOOLS.filter((one) => !("file" in one) || !one.file.startsWith("/")).filter(
      (one) => !("program" in one) || one.program !== "apt-get",
    ),
  });

describe("The registries of the person's own tools", () => {
  it("are what npm, pnpm, yarn, pip and go say, each name once", async () => {
    tool(
      "home/bin/npm",
      `echo '{"registry":"https://r.example/","@x:registry":"https://x.example/npm/","//r.example/:_authToken":"(protected)","a":1}'`,
    );
    tool("home/bin/pnpm", "echo nothing");
    tool("home/bin/yarn", '[ "$3" = registry ] && echo https://y.example || echo undefined');
    tool(
      "home/bin/pip",
      `[ "$1" = config ] && echo "global.index-url='https://u:secret@p.example/simple'" || printf '  -i, --index-url <url>  Base URL of the index\\n      (default https://d.example/simple). This\\n'`,
    );
    tool("home/bin/go", "printf 'https://g.example|https://h.example,direct\\nsum.example+key https://sum2.example\\n'");
    expect((await registries()()).toSorted()).toEqual(
      ["d.example", "g.example", "h.example", "p.example", "r.example", "sum.example", "sum2.example", "x.example", "y.example"].toSorted(),
    );
  });

  it("are read from settings of tools that print none, and from variables", async () => {
    put(
      "home/.cargo/config.toml",
      '# index = "https://no.example"\n[registries.mine]\nindex = "sparse+https://c.example/index/"\n[http]\nproxy = "http://proxy.example"\n',
    );
    put("home/.config/uv/uv.toml", '[[index]]\nurl = "https://uv.example/simple" # mine\n');
    put(
      "home/.m2/settings.xml",
      "<!-- <url>https://no.example</url> --><mirrors><mirror><url>https://m.example/maven</url></mirror></mirrors>",
    );
    expect((await registries({ UV_INDEX_URL: "https://v.example/simple" })()).toSorted()).toEqual(
      ["c.example", "m.example", "uv.example", "v.example"].toSorted(),
    );
  });

  it("are not what a workspace says: its programs, its files, its variables and its folder have no voice", async () => {
    tool("work/bin/npm", `echo '{"registry":"https://evil.example/"}'`);
    tool(
      "home/bin/yarn",
      'echo "https://$(/usr/bin/basename "$PWD").example/"; echo "https://${npm_config_registry:-none.example}/"; echo "https://f-${PIP_CONFIG_FILE:-x}.example"',
    );
    put("work/config.toml", '[registries.evil]\nindex = "https://evil.example/"\n');
    mkdirSync(join(base, "home/.cargo"));
    symlinkSync(join(base, "work/config.toml"), join(base, "home/.cargo/config.toml"));
    const found = await registries({ npm_config_registry: "evil.example", PIP_CONFIG_FILE: join(base, "work/pip.conf") })();
    expect(found.toSorted()).toEqual(["f-x.example", "home.example", "none.example"]);
  });

  it("are asked for once, whatever fails", async () => {
    tool("home/bin/npm", `echo run >> "$HOME/runs"; exit 1`);
    tool("home/bin/go", "exec /bin/sleep 100");
    const ask = registries({}, { timeoutMs: 1000 });
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(first).toEqual([]);
    expect(second).toBe(first);
  });

  it("are public names on the ports that can be opened", () => {
    expect(
      registryHosts([
        "https://a.example/x",
        "http://b.example",
        "https://c.example:8443/",
        "https://127.0.0.1/",
        "http://localhost:4873/",
        "https://[::1]/",
        "file:///opt/x",
        "https://nas.lan/",
        "nonsense",
        "https://0x7f.1/",
      ]),
    ).toEqual(["a.example", "b.example"]);
  });
});
