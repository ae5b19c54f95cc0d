import axe from "axe-core";
import type { Page } from "playwright-core";

/** From here on a page has one column, and nothing of it may lie beside the window. */
const NARROW = { width: 860, height: 900 };
const THEMES = ["light", "dark"] as const;

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What is wrong with the page that is open: for people who hear it or see it badly, in both themes, and in a narrow window. */
export async function findFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const wide = page.viewportSize()!;
  // By the debugger, as the page's own policy lets no foreign script in.
  await page.evaluate(`${axe.source}; undefined`);
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    const found = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as readonly Finding[];
    for (const { id, help, nodes } of found)
      faults.push(...nodes.map((node) => `${colorScheme}, ${id} (${help}): ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`));
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(NARROW);
  const wanted = Number(await page.evaluate("document.documentElement.scrollWidth"));
  if (wanted > NARROW.width) faults.push(`it is ${wanted} px wide in a window of ${NARROW.width} px: ${await findWidest(page)}`);
  await page.setViewportSize(wide);
  return faults;
}

const findWidest = (page: Page): Promise<unknown> =>
  page.evaluate(
    `[...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth).slice(0, 3).map((one) => one.outerHTML.slice(0, 150)).join(" | ")`,
  );
