/** Below the options of `zeph mcp`. */
export const MCP_EXAMPLES = {
  mcp: `
Use the tools of a server:
  zeph mcp add files -- node server.js .     write it down, connect, show tools
  zeph mcp add hub --url https://a.example/mcp
  zeph mcp list [--connect]                  what is configured; how it is now
  zeph mcp tools [server]                    what is offered, and what is not
  zeph mcp prompts|resources [server]        what else a server has
  zeph mcp prompt <server> <prompt> [a=b…]   print the text of a prompt
  zeph mcp read <server> <uri>               print a resource
  zeph mcp test <server> [--fetch]           connect; fetch its packages anew
  zeph mcp diff [server]                     what changed since you agreed
  zeph mcp diff <server> --accept [tool…]    agree to it, after a look at it
  zeph mcp remove <server> [--data]          with what it kept, too
  zeph mcp login|logout <server>             where a server wants you to sign in

Options of add:
  --env NAME[=value]      a variable for it; NAME alone is looked up when it
                          is started, in the environment or in keys.toml
  --header NAME=value     with --url; \${NAME} in it is looked up the same way
  --trust <level>         untrusted, provisional (asks each time) or trusted
  --tools <a,b>           only these tools
  --timeout <seconds>     how long one call may take (60); while it tells how
                          far it is, up to ten times as long
  --reach <name>          let a command reach this name of the internet
  --network               let a command reach all of the machine's network
  --read, --write <path>  more that a command may read or write
  --sampling              let it ask your model, each time after a yes
  --force                 replace a server of that name

Be a server, for other agents:
  zeph mcp                            on stdin and stdout
  zeph mcp snippet <client>           what to write where, for that client
  zeph mcp snippet <client> --own-tools-off   leave shell and files to Zeph
  zeph mcp --http [--port <n>] [--host <address>] [--token <token>]
  --sessions <n>                      how many may be open at a time (1000)
  --workspace <folder>                where it works; may be repeated
  --later                             keep questions for zeph answer
  --asked-by-client                   the client asks before each call: no
                                      second question inside the workspace

All but login, logout, snippet and serving take --json.
Exit codes: 0; 5 a server cannot be reached, or something differs (diff);
2 usage or configuration.

The options of zeph itself (--config, --set, --cwd, --no-color) work here too.`,
} as const;
