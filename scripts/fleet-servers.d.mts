export interface PostgresServer {
  readonly port: number;
  readonly password: string;
  readonly folder: string;
  readonly url: string;
  crash(): Promise<unknown>;
  start(): Promise<unknown>;
  freeze(): void;
  thaw(): void;
  promote(): Promise<unknown>;
  stop(): Promise<void>;
}
export interface NatsNode {
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
}
export interface NatsServers {
  readonly nodes: readonly NatsNode[];
  readonly url: string;
  stop(): Promise<void>;
}
export function findPostgres(): string | null;
export function findNats(): string | null;
export function freePort(): Promise<number>;
export function startPostgres(options?: {
  readonly settings?: readonly string[];
  readonly standbyOf?: PostgresServer;
}): Promise<PostgresServer>;
export function startNats(options?: { readonly nodes?: number; readonly args?: readonly string[] }): Promise<NatsServers>;
