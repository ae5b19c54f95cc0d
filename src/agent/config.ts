import * as z from "zod";
import { setting } from "../core/setting.ts";

export const agentConfig = z
  .strictObject({
    max_tool_iterations: setting(z.int().min(1).max(100).default(10), "Most rounds of tool calls in one answer.", "smaller"),
  })
  .prefault({});
