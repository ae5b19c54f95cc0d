import { refusal } from "./reply.ts";
import type { Route } from "./request.ts";

export const STATUS_ROUTES: readonly Route[] = [
  { method: "GET", path: "/v1/status", roles: [], answer: async ({ door }) => ({ status: 200, body: await door.status() }) },
  { method: "GET", path: "/v1/me", roles: [], answer: async ({ person }) => ({ status: 200, body: person }) },
  {
    method: "POST",
    path: "/v1/workers/*/drain",
    roles: ["operator"],
    async answer({ door, words: [worker = ""] }) {
      if (!(await door.drain(worker))) return refusal(404, "There is no such worker.");
      return { status: 202, body: { worker, drain: true } };
    },
  },
];
