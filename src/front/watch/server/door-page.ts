import { type Html, html } from "../html.ts";

/** What somebody sees who has not come in. The code is in the fragment of the address, which the script gives back; without scripts it is typed. */
export const doorPage = (words: string): Html => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Zeph watch</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><script type="module" src="/door.js"></script></head>
<body><main class="door"><h1>Zeph watch</h1><p id="words" class="lead" role="status">${words}</p>
<form class="filters" method="post" action="/enter"><label for="code">Code</label><input id="code" name="token" type="search" autocomplete="off" autocapitalize="off" spellcheck="false"><button class="main">Enter</button></form>
<p class="soft">The code stands at the end of the link that <code>zeph watch</code> printed, behind <code>#t=</code>. It is good for one minute and one entry. Press Enter in that terminal for a new one.</p></main></body></html>`;
