// Keys for everything: an element with data-key="c" is clicked by that key, data-key="g q" by g and then q.
// A field is focused instead. The help (?) lists all of them by their own words.
"use strict";
(() => {
  const PAUSE_MS = 1200;
  let before = "";
  let forget = 0;

  const all = () => [...document.querySelectorAll("[data-key]")].filter((one) => one.offsetParent !== null);
  const isTyping = (target) =>
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.tagName === "TEXTAREA" ||
      target.tagName === "SELECT" ||
      (target.tagName === "INPUT" && !["checkbox", "radio", "button", "submit"].includes(target.type)));

  const words = (one) =>
    one.dataset.keyLabel || one.getAttribute("aria-label") || (one.labels && one.labels[0]?.textContent) || one.textContent || "";

  function use(one) {
    one.focus();
    if (["TEXTAREA", "SELECT"].includes(one.tagName) || (one.tagName === "INPUT" && one.type === "text")) return;
    if (one.type === "radio" && one.checked) one.checked = false; // the same key again takes it back
    else one.click();
  }

  function openHelp() {
    const help = document.getElementById("help");
    const list = document.getElementById("help-keys");
    list.replaceChildren();
    for (const one of all()) {
      const key = document.createElement("dt");
      const what = document.createElement("dd");
      for (const part of one.dataset.key.split(" ")) {
        const shown = document.createElement("kbd");
        shown.textContent = part;
        key.append(shown, " ");
      }
      what.textContent = words(one).trim().replace(/\s+/g, " ");
      list.append(key, what);
    }
    help.showModal();
  }

  document.addEventListener("click", (event) => {
    const opener = event.target instanceof Element ? event.target.closest("[data-opens='help']") : null;
    if (opener) openHelp();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const own = event.target instanceof Element && event.target.closest("a, button, summary");
    if (own && (event.key === "Enter" || event.key === " ")) return; // it acts by itself
    const typed = before ? `${before} ${event.key}` : event.key;
    const found = all().find((one) => one.dataset.key === typed) || all().find((one) => one.dataset.key === event.key);
    clearTimeout(forget);
    if (found) {
      before = "";
      event.preventDefault();
      use(found);
    } else if (all().some((one) => one.dataset.key.startsWith(`${event.key} `))) {
      before = event.key;
      forget = setTimeout(() => (before = ""), PAUSE_MS);
    } else {
      before = "";
    }
  });
})();
