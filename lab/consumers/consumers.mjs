import { mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { COMPILERS, RESOLUTIONS, ZODS } from "./packages.mjs";

/** They have a binary beside them, so no bundler can take them in. */
const WITH_BINARIES = ["@photostructure/sqlite", "@vscode/ripgrep"];
const OK = { expects: "consumer ok" };

/** Each builds and runs the program in its own way, and throws when something is wrong. */
export const CONSUMERS = {
  node: ({ node }) => node(["start.mjs"], OK),

  schemas: ({ node }) => node(["schemas.mjs", "audit.jsonl"], OK),

  /** Every compiler with every way to find modules and every zod: clean, without skipLibCheck, and soon. */
  async types({ node, cwd, base }) {
    for (const [version, zod] of Object.entries(ZODS)) {
      const folder = join(cwd, `zod-${version}`, "node_modules");
      mkdirSync(folder, { recursive: true });
      symlinkSync(join(base, "node_modules", zod), join(folder, "zod"));
      symlinkSync(join(cwd, "types.ts"), join(folder, "..", "types.ts"));
      for (const compiler of COMPILERS)
        for (const [module, resolution] of RESOLUTIONS) {
          const tsc = join(base, "node_modules", compiler, "bin", "tsc");
          const how = ["--module", module, "--moduleResolution", resolution, "--target", "es2023", "--types", "node", "--preserveSymlinks"];
          await node([tsc, "--noEmit", "--strict", ...how, `zod-${version}/types.ts`]);
        }
    }
  },

  /** With chunks: in a single file esbuild runs zod in the wrong order as soon as another package imports it later. */
  async esbuild({ run, node, bin }) {
    const outside = WITH_BINARIES.map((name) => `--external:${name}`);
    await run([bin("esbuild"), "start.mjs", "--bundle", "--splitting", "--platform=node", "--format=esm", "--outdir=out", ...outside]);
    await node(["out/start.js"], OK);
  },

  async webpack({ run, node, bin, write }) {
    write(
      "webpack.config.mjs",
      `export default {
        mode: "production", target: "node20", entry: "./start.mjs", experiments: { outputModule: true },
        output: { path: import.meta.dirname + "/out", filename: "main.mjs", module: true, chunkFormat: "module" },
        externalsType: "module", externals: ${JSON.stringify(WITH_BINARIES)},
      };`,
    );
    await run([bin("webpack")]);
    await node(["out/main.mjs"], OK);
  },

  async vite({ run, node, bin, write }) {
    write(
      "vite.config.mjs",
      `const external = ${JSON.stringify(WITH_BINARIES)};
      export default { build: { ssr: "start.mjs", outDir: "out", target: "node20", rollupOptions: { external } }, ssr: { noExternal: true, external } };`,
    );
    await run([bin("vite"), "build"]);
    await node(["out/start.js"], OK);
  },

  vitest: ({ run, bin }) => run([bin("vitest"), "run"]),
  "jest-esm": ({ node, file, write }) => {
    write("jest.config.json", JSON.stringify({ testMatch: ["**/*.test.mjs"], transform: {} }));
    return node(["--experimental-vm-modules", file("jest/bin/jest.js"), "--config", "jest.config.json"]);
  },
  "jest-cjs": ({ node, file, write }) => {
    write("package.json", "{}");
    write("jest.config.json", JSON.stringify({ testMatch: ["**/*.test.cjs"], transform: {} }));
    return node(["--experimental-vm-modules", file("jest/bin/jest.js"), "--config", "jest.config.json"]);
  },

  /** Zeph starts programs and threads that lie beside its files, so there it stays where it is installed. */
  async next({ node, start, file, write }) {
    const next = file("next/dist/bin/next");
    write("next.config.mjs", 'export default { serverExternalPackages: ["zeph"] };');
    await node([next, "build", "--webpack"]);
    const port = await freePort();
    const server = start([process.execPath, next, "start", "-H", "127.0.0.1", "-p", String(port)]);
    try {
      const wrong = await firstAnswer(`http://127.0.0.1:${port}/zeph`, server);
      if (wrong.length > 0) throw new Error(wrong.join("\n"));
    } finally {
      server.kill("SIGKILL");
    }
  },

  async bun({ run, node, bin, file }) {
    // Its binary is put in place by a script that npm may have left out.
    await run([bin("bun"), "--version"]).catch(() => node([file("bun/install.js")]));
    await run([bin("bun"), "start.mjs"], OK);
  },

  deno: ({ run, bin }) => run([bin("deno"), "run", "--allow-all", "--node-modules-dir=manual", "start.mjs"], OK),
};

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** The server says nothing until it listens. */
async function firstAnswer(url, server) {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    const answer = await fetch(url).catch(() => null);
    if (answer) return answer.json();
    await new Promise((done) => setTimeout(done, 200));
  }
}
