// The code stands in the fragment of the address, which no server and no log sees. It is good for one entry.
const code = new URLSearchParams(location.hash.slice(1)).get("t");
const words = document.querySelector("#words");
history.replaceState(null, "", location.pathname + location.search);
if (code) {
  words.textContent = "Opening…";
  const entered = await fetch("/enter", { method: "POST", body: new URLSearchParams({ token: code }) }).catch(() => null);
  if (entered?.ok) {
    // Where other programs are sent our cookie, forms carry this as well.
    const key = await entered.text();
    if (key) sessionStorage.setItem("tab", key);
    location.reload();
  } else words.textContent = "This link was used already, or it is too old.";
}
