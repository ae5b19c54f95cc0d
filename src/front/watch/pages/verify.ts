import type { WatchRoute } from "../watch-route.ts";

/** Reads every line of the log, and goes back to where the result stands. */
export const verifyRoute: WatchRoute = {
  method: "POST",
  path: "/verify",
  title: "Check the chain",
  async render(sources) {
    await sources.log.verify();
    return { goTo: "/log" };
  },
};
