/** What consumers are built and run with, in exact versions. */
export const TOOLS = {
  "@types/node": "20.19.43",
  "@valibot/to-json-schema": "1.8.0",
  arktype: "2.2.9",
  bun: "1.4.4",
  deno: "2.9.6",
  esbuild: "0.28.2",
  jest: "30.5.2",
  next: "16.4.6",
  react: "19.3.1",
  "react-dom": "19.3.1",
  "typescript-5": "npm:typescript@5.9.3",
  "typescript-7": "npm:typescript@7.0.2",
  valibot: "1.5.0",
  vite: "8.3.5",
  vitest: "4.1.12",
  webpack: "5.112.2",
  "webpack-cli": "7.3.1",
  "zod-3": "npm:zod@3.25.76",
  "zod-4-0": "npm:zod@4.0.17",
  "zod-4-3": "npm:zod@4.3.6",
  "zod-last": "npm:zod@4.6.7",
};

/** What these bring along, where its newest version has left Node 20. */
export const OVERRIDES = { rechoir: "0.8.0" };

/** Every zod that a program's types are checked with. */
export const ZODS = { "4.0": "zod-4-0", 4.3: "zod-4-3", last: "zod-last" };
export const COMPILERS = ["typescript-5", "typescript-7"];
/** How a program finds modules, and what it writes. */
export const RESOLUTIONS = [
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
];
