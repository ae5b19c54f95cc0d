/** Where the proxy is inside the session's network. */
export const PROXY_PORT = 3128;

const HTTP = `http://127.0.0.1:${PROXY_PORT}`;
const SOCKS = `socks5h://127.0.0.1:${PROXY_PORT}`;
const LOCAL = "localhost,127.0.0.1,::1";

/** What tells clients of the proxy. Lower case is what curl and git read, upper case most others. Names are looked up by the proxy alone. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  http_proxy: HTTP,
  https_proxy: HTTP,
  HTTP_PROXY: HTTP,
  HTTPS_PROXY: HTTP,
  all_proxy: SOCKS,
  ALL_PROXY: SOCKS,
  no_proxy: LOCAL,
  NO_PROXY: LOCAL,
  // Node's own fetch and https from 22.21 and 24.5 on.
  NODE_USE_ENV_PROXY: "1",
  npm_config_proxy: HTTP,
  npm_config_https_proxy: HTTP,
  npm_config_noproxy: LOCAL,
  // A name that is closed is closed the second time, too.
  npm_config_fetch_retries: "0",
  YARN_HTTP_PROXY: HTTP,
  YARN_HTTPS_PROXY: HTTP,
  CARGO_HTTP_PROXY: HTTP,
  CARGO_NET_RETRY: "0",
  PIP_RETRIES: "0",
  // Java reads none of the others; it prints a line for this one.
  JAVA_TOOL_OPTIONS: `${["http", "https"].map((kind) => `-D${kind}.proxyHost=127.0.0.1 -D${kind}.proxyPort=${PROXY_PORT}`).join(" ")} -Dhttp.nonProxyHosts=localhost|127.*|[::1]`,
};
