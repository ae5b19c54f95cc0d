import { html } from "../html.ts";
import type { WatchRoute } from "../watch-route.ts";

export const nowRoute: WatchRoute = {
  method: "GET",
  path: "/",
  title: "Now",
  render: async () => ({ lead: "What is going on, what waits for you, and what was refused.", body: html`` }),
};
