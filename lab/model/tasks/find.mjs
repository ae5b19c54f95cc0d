import { commit, copy, missing, run } from "../kit.mjs";

export const letter = "e";
export const title = "find something in 1,121 files";
export const ask =
  "Two people run migrations at once. Find out in these sources how each database keeps them apart: which file does it for PostgreSQL and with which number, and which for Microsoft SQL Server and with which stored procedure? Answer in two lines; change nothing.";

export function lay(folder) {
  copy("kysely@0.28.18", folder, ["dist", "package.json", "README.md", "LICENSE"]);
  run(folder, "chmod -R u+w .");
  commit(folder, "kysely");
}

export const check = (folder, said) =>
  missing({
    "the file for PostgreSQL": said.includes("postgres-adapter"),
    "its number": said.includes("3853314791062309107"),
    "the file for SQL Server": said.includes("mssql-adapter"),
    "its procedure": said.includes("sp_getapplock"),
    "nothing is changed": run(folder, 'test -z "$(git status --porcelain)"').ok,
  });
