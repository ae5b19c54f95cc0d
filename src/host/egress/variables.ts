/** Where the proxy is inside the session's network. */
export const PROXY_PORT = 3128;

const LOCAL = "localhost,127.0.0.1,::1";

const USER = "zeph";

/**
 * What tells clients of the proxy. Lower case is what curl and git read, upper case most others. Names are looked up by the proxy alone.
 * The credential tells the proxy which of several commands a connection belongs to; null where there is only one program.
 */
export function proxyVariables(credential: string | null): Readonly<Record<string, string>> {
  const address = `${credential === null ? "" : `${USER}:${credential}@`}127.0.0.1:${PROXY_PORT}`;
  const [HTTP, SOCKS] = [`http://${address}`, `socks5h://${address}`];
  return {
    http_proxy: HTTP,
    https_proxy: HTTP,
    HTTP_PROXY: HTTP,
    HTTPS_PROXY: HTTP,
    all_proxy: SOCKS,
    ALL_PROXY: SOCKS,
    no_proxy: LOCAL,
    NO_PROXY: LOCAL,
    // Otherwise git sends the credential only when it is asked for one.
    GIT_HTTP_PROXY_AUTHMETHOD: "basic",
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
    // Java reads none of the others, and sends no credential; it prints a line for this one.
    JAVA_TOOL_OPTIONS: `${["http", "https"].map((kind) => `-D${kind}.proxyHost=127.0.0.1 -D${kind}.proxyPort=${PROXY_PORT}`).join(" ")} -Dhttp.nonProxyHosts=localhost|127.*|[::1]`,
  };
}
