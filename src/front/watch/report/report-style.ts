/** Of the report alone, which is a file: it stands in it, and nothing is fetched. It is meant to be read on paper, too. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --bg: #fff; --text: #1c1f23; --soft: #565d66; --line: #d9dce0; --code: #f4f5f6; --good: #146c2e; --bad: #a3170f; --warn: #7a4f00; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171a; --text: #e6e8ea; --soft: #a2a9b1; --line: #343a40; --code: #1e2226; --good: #7fd394; --bad: #ff9a90; --warn: #f0c36b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 28px 64px; max-width: 1080px; background: var(--bg); color: var(--text); font: 14px/1.5 system-ui, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; } h2 { font-size: 16px; margin: 32px 0 8px; padding-bottom: 4px; border-bottom: 1px solid var(--line); } h3 { font-size: 13px; margin: 18px 0 4px; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); } .mono .soft { font: 12.5px/1.45 system-ui, "Segoe UI", "Noto Sans", sans-serif; } .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; margin: 12px 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; } th { text-align: left; font-weight: 600; color: var(--soft); font-size: 12px; } th, td { padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
code, pre, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12px; } pre { margin: 4px 0; padding: 10px 12px; background: var(--code); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
.time { width: 92px; } .tool { width: 92px; } .end { width: 104px; } .by { width: 210px; } .at { width: 58px; } .num { width: 64px; text-align: right; } .hash { font-size: 10.5px; }
.add { color: var(--good); } .del { color: var(--bad); } .hunk { color: var(--soft); }
a { color: inherit; } .totals { display: flex; flex-wrap: wrap; gap: 6px 22px; margin: 12px 0; padding: 0; list-style: none; } .totals b { font-size: 18px; }
@media print { body { max-width: none; padding: 0; font-size: 11px; background: #fff; color: #000; } h2 { break-after: avoid; } tr, h3 { break-inside: avoid; } pre { background: none; } }
@page { margin: 16mm 14mm; }
`;
