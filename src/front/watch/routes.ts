import { answerRoute } from "./pages/answer.ts";
import { callRoute } from "./pages/call.ts";
import { conversationRoute } from "./pages/conversation.ts";
import { conversationsRoute } from "./pages/conversations.ts";
import { logRoute } from "./pages/log.ts";
import { nowRoute } from "./pages/now.ts";
import { keptTextRoute } from "./pages/output-text.ts";
import { keptRoute } from "./pages/outputs.ts";
import { reportRoute } from "./pages/report.ts";
import { rulesRoute, tryRulesRoute } from "./pages/rules.ts";
import { verifyRoute } from "./pages/verify.ts";
import type { WatchRoute } from "./watch-route.ts";

/** Every page, and everything a form does. */
export const WATCH_ROUTES: readonly WatchRoute[] = [
  nowRoute,
  answerRoute,
  logRoute,
  callRoute,
  verifyRoute,
  rulesRoute,
  tryRulesRoute,
  keptRoute,
  keptTextRoute,
  conversationsRoute,
  conversationRoute,
  reportRoute,
];
