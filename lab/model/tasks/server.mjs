import { commit, copy, missing, read, run, write } from "../kit.mjs";

const PORT = 43170;

export const letter = "h";
export const title = "a server in the background";
export const ask = `Start the server of this project (\`npm start\`, it listens on 127.0.0.1:${PORT}) in the background, fetch /outline with curl and put what it answers into outline.json. Stop the server afterwards. Tell how many headings there are.`;

export function lay(folder) {
  copy("marked@18.2.0", folder, ["lib/marked.esm.js", "LICENSE", "README.md"]);
  write(folder, {
    "package.json": `${JSON.stringify({ name: "outline", version: "1.0.0", private: true, type: "module", scripts: { start: "node server.js" } }, null, 2)}\n`,
    "server.js": `import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { headings } from "./headings.js";

createServer((request, response) => {
  if (request.url !== "/outline") return response.writeHead(404).end();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(headings(readFileSync("README.md", "utf8"))));
}).listen(${PORT}, "127.0.0.1", () => console.log("listening on 127.0.0.1:${PORT}"));
`,
    "headings.js": `import { lexer } from "./marked.esm.js";

export const headings = (text) => lexer(text).filter(({ type }) => type === "heading").map(({ depth, text }) => ({ depth, text }));
`,
  });
  commit(folder, "outline");
}

export function check(folder, said) {
  const wanted = run(
    folder,
    `node --input-type=module -e 'import { headings } from "./headings.js"; import { readFileSync } from "node:fs"; process.stdout.write(JSON.stringify(headings(readFileSync("README.md", "utf8"))))'`,
  ).text;
  return missing({
    "outline.json is what the server answers": read(folder, "outline.json").trim() === wanted,
    "the number of headings": new RegExp(`\\b${JSON.parse(wanted).length}\\b`).test(said),
    "the server is stopped": !run(folder, `curl -s --max-time 2 http://127.0.0.1:${PORT}/outline`).ok,
  });
}
