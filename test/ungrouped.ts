/** The answer of grep with the file's name before each line, as `path:12: text`. */
export function ungrouped(text: string): string {
  let path = "";
  return text
    .split("\n")
    .flatMap((line) => {
      const hit = /^(\d+)([:-])([\s\S]*)$/.exec(line);
      if (hit && path !== "") return [`${path}:${hit[1]}${hit[2]} ${hit[3]}`];
      if (line === "--" || /^(?:\(|No matches|[a-z_]+: )/.test(line)) return [line];
      path = line;
      return [];
    })
    .join("\n");
}
