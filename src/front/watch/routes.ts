import { answerRoute } from "./pages/answer.ts";
import { callRoute } from "./pages/call.ts";
import { logRoute } from "./pages/log.ts";
import { nowRoute } from "./pages/now.ts";
import { verifyRoute } from "./pages/verify.ts";
import type { WatchRoute } from "./watch-route.ts";

/** Every page, and everything a form does. */
export const WATCH_ROUTES: readonly WatchRoute[] = [nowRoute, answerRoute, logRoute, callRoute, verifyRoute];
