/** Writes references to variables as ours: `${NAME}`, and `${WORKSPACE}` for the folder. Nothing is looked up. */
export type References = (text: string) => string;

const WORKSPACE = /^(?:PWD|workspaceFolder|CLAUDE_PROJECT_DIR|projectRoot)$/;

export function createReferences(tell: (change: string) => void): References {
  return (text) =>
    text
      .replace(/\$\{([^{}]*)\}|\{env:([A-Za-z_]\w*)\}/g, (whole, inside: string | undefined, plain: string | undefined) => {
        if (plain !== undefined) return `\${${plain}}`;
        const [, name, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-([\s\S]*))?$/.exec(inside ?? "") ?? [];
        if (name === undefined) return whole;
        if (WORKSPACE.test(name)) return `\${WORKSPACE}`;
        if (fallback === undefined) return `\${${name}}`;
        tell(`\${${name}:-…} is written as what it falls back to: Zeph has no fallbacks`);
        return fallback;
      })
      .replace(/\$([A-Z_][A-Z0-9_]*)\b/g, (_, name: string) => (WORKSPACE.test(name) ? `\${WORKSPACE}` : `\${${name}}`));
}
