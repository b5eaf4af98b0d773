// The address that is printed at the start carries the token behind a #, which browsers send to nobody.
"use strict";
(() => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return;
  history.replaceState(null, "", location.pathname + location.search);
  const field = document.getElementById("token");
  field.value = given;
  document.getElementById("login").requestSubmit();
})();
