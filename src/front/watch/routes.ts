import { nowRoute } from "./pages/now.ts";
import type { WatchRoute } from "./watch-route.ts";

/** Every page, and everything a form does. */
export const WATCH_ROUTES: readonly WatchRoute[] = [nowRoute];
