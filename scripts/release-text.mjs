// What a release reads and writes as text. Pure functions, so that tests need no repository.

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const UNRELEASED = "## Unreleased";

/** Whether both are versions and the first comes after the second. */
export function isNewer(next, current) {
  const [a, b] = [VERSION.exec(next), VERSION.exec(current)];
  if (!a || !b) return false;
  for (const part of [1, 2, 3]) if (a[part] !== b[part]) return Number(a[part]) > Number(b[part]);
  return false;
}

/** The fields of package.json that must say where the project lives and do not. */
export const missingAddresses = ({ homepage, repository, bugs }) =>
  [
    ["homepage", homepage],
    ["repository", repository?.url ?? repository],
    ["bugs", bugs?.url ?? bugs],
  ].flatMap(([name, address]) => (typeof address === "string" && address.trim() !== "" ? [] : [name]));

/** The text that becomes, or is already, the section of a version; empty when there is none. */
export function releaseNotes(changelog, version) {
  const lines = changelog.split("\n");
  const written = lines.findIndex((line) => isHeading(line, version));
  const start = written >= 0 ? written : lines.findIndex((line) => line.trim() === UNRELEASED);
  if (start < 0) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("## "));
  return (end < 0 ? rest : rest.slice(0, end)).join("\n").trim();
}

/** The changelog in which what was unreleased belongs to this version. A section that is there already stays as it is. */
export const withRelease = (changelog, version, date) =>
  changelog.split("\n").some((line) => isHeading(line, version))
    ? changelog
    : changelog.replace(/^## Unreleased[ \t]*$/m, `${UNRELEASED}\n\n## ${version} (${date})`);

const isHeading = (line, version) => line === `## ${version}` || line.startsWith(`## ${version} `);
