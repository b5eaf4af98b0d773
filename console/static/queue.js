// The queue's pages: leases are kept while somebody works, claims are answered by keys, figures stay fresh.
"use strict";
(() => {
  const IDLE_MS = 10 * 60 * 1000;
  const FIGURES_MS = 5000;
  const place = document.getElementById("queue");
  const state = document.getElementById("queue-state");
  const csrf = document.body.dataset.csrf;
  const leases = new Set(place.dataset.leases.split(" ").filter(Boolean));
  const form = document.getElementById("label");
  const open = form ? location.pathname.split("/").pop() : "";
  let active = Date.now();

  for (const kind of ["keydown", "pointerdown", "pointermove", "scroll"]) {
    addEventListener(kind, () => (active = Date.now()), { passive: true });
  }

  function tell(text) {
    state.textContent = text || "";
    state.hidden = !text;
  }

  // --- leases: a case stays ours while this page is open and somebody is there ---

  async function beat(lease) {
    const answer = await fetch(`/api/v1/queue/leases/${encodeURIComponent(lease)}/heartbeat`, {
      method: "POST",
      headers: { "X-CSRF-Token": csrf, Accept: "application/json" },
    });
    if (answer.status === 401 || answer.status === 403) return place.dataset.out;
    if (answer.status === 409 || answer.status === 404) {
      leases.delete(lease);
      return lease === open ? place.dataset.gone : "";
    }
    return answer.ok ? "" : place.dataset.away;
  }

  async function beatAll() {
    if (Date.now() - active > IDLE_MS || (form && form.dataset.sent)) return;
    let said = leases.has(open) || !open ? "" : state.textContent;
    for (const lease of [...leases]) {
      try {
        said = (await beat(lease)) || said;
      } catch {
        said = place.dataset.away;
      }
    }
    tell(said);
  }

  if (leases.size) setInterval(beatAll, Number(place.dataset.every) * 1000);

  // --- figures: how far annotators agree, now ---

  function takeOver(page) {
    for (const id of ["figures", "kappa-now"]) {
      const fresh = page && page.getElementById(id);
      const old = document.getElementById(id);
      if (fresh && old && !old.contains(document.activeElement)) old.replaceWith(document.importNode(fresh, true));
    }
  }

  function refresh() {
    if (document.hidden || Date.now() - active > IDLE_MS) return;
    const request = new XMLHttpRequest();
    request.open("GET", place.dataset.figures);
    request.responseType = "document"; // parsed as a page of its own: no script in it runs
    request.onload = () => request.status === 200 && takeOver(request.response);
    request.send();
  }

  setInterval(refresh, FIGURES_MS);
  if (form) refresh(); // a case is shown at once, with the figures before the last label

  // --- claims: one is active, and its answer is one key ---

  const claims = [...document.querySelectorAll("[data-claim]")];
  const tools = document.getElementById("claim-tools");
  let at = 0;

  function activate(index) {
    at = Math.max(0, Math.min(index, claims.length - 1));
    claims.forEach((one, number) => one.classList.toggle("active", number === at));
    const chosen = claims[at].querySelector("input:checked") || claims[at].querySelector("input");
    chosen.focus();
    claims[at].scrollIntoView({ block: "nearest" });
  }

  if (claims.length) {
    tools.hidden = false;
    claims[0].classList.add("active");
    for (const one of document.querySelectorAll("[data-claims]")) {
      one.addEventListener("click", () => activate(at + Number(one.dataset.claims)));
    }
    for (const one of document.querySelectorAll("[data-claim-is]")) {
      one.addEventListener("click", () => {
        claims[at].querySelector(`input[value="${one.dataset.claimIs}"]`).checked = true;
        activate(at + 1);
      });
    }
    claims.forEach((one, number) => one.addEventListener("focusin", () => {
      at = number;
      claims.forEach((other, place) => other.classList.toggle("active", place === at));
    }));
  }

  // --- the form: Ctrl+Enter saves from within a text field; nothing is sent twice ---

  if (form) {
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = "yes";
    });
    addEventListener("pageshow", () => delete form.dataset.sent);
  }
})();
