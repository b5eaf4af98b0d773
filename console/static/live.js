// The page Live asks for itself again and takes over what is in #live. Nothing is replaced while somebody selects
// text in it, and the focus stays on the link that has it.
"use strict";
(() => {
  const place = () => document.getElementById("live");
  const state = document.getElementById("refresh-state");
  const pause = document.getElementById("pause");
  const every = Number(place().dataset.every) * 1000;
  let paused = false;

  for (const one of document.querySelectorAll("[data-sends]")) {
    one.addEventListener("change", () => one.form.requestSubmit());
  }
  for (const one of document.querySelectorAll("[data-sent]")) one.hidden = true;

  const isReading = () => {
    const chosen = document.getSelection();
    return Boolean(chosen && !chosen.isCollapsed && place().contains(chosen.anchorNode));
  };

  function takeOver(page) {
    const fresh = page && page.getElementById("live");
    if (!fresh) return false;
    const focused = place().contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const kept = document.importNode(fresh, true);
    place().replaceWith(kept);
    if (focused) [...kept.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus();
    return true;
  }

  function ask() {
    const request = new XMLHttpRequest();
    request.open("GET", location.href);
    request.responseType = "document"; // parsed as a page of its own: no script in it runs
    request.timeout = 4 * every;
    request.onload = () => {
      if (request.status === 401 || new URL(request.responseURL).pathname === "/login") return location.reload();
      const taken = request.status === 200 && !paused && (isReading() || takeOver(request.response));
      if (!paused) state.textContent = taken ? state.dataset.running : state.dataset.lost;
      setTimeout(tick, every);
    };
    request.onerror = request.ontimeout = () => {
      if (!paused) state.textContent = state.dataset.lost;
      setTimeout(tick, every);
    };
    request.send();
  }

  function tick() {
    if (paused || document.hidden || isReading()) setTimeout(tick, every);
    else ask();
  }

  pause.hidden = false;
  state.textContent = state.dataset.running;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? pause.dataset.goOn : pause.dataset.pause;
    state.textContent = paused ? state.dataset.paused : state.dataset.running;
  });
  setTimeout(tick, every);
})();
