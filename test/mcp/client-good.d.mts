import type { McpServer } from "@modelcontextprotocol/server";

export const make: () => McpServer;
