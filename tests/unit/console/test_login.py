"""Logging in and out: tokens, sessions, guesses, forms that only our own pages can send."""

from __future__ import annotations

import pytest

from console.pages.login import own_path
from console.security.roles import Role
from console.security.sessions import Sessions
from console.security.tokens import find_token, hash_token, make_token
from console.security.tries import Tries
from console.visit import SESSION_COOKIE
from tests.support.console import (
    HOST,
    TOKEN_OF,
    TOKENS,
    Browser,
    Clock,
    Heard,
    bearer,
    form_token,
    open_console,
)


def test_whoever_has_a_token_comes_in_and_whoever_has_none_does_not() -> None:
    browser = Browser(open_console())
    refused = browser.log_in("token-of-nobody-0123456789")
    assert refused.status_code == 401
    assert "not a token of this console" in refused.text
    answer = browser.log_in(TOKEN_OF["anna"], "/queue?last=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/queue?last=1")
    assert browser.get("/api/v1/me").json()["name"] == "anna"


def test_a_login_opens_a_new_session_whatever_cookie_came_with_it() -> None:
    browser = Browser(open_console(), "vera")
    planted = browser.cookies[SESSION_COOKIE]
    browser.submit("/login", {"token": TOKEN_OF["adam"]}, form=browser.get("/login").text)
    fresh = browser.cookies[SESSION_COOKIE]
    assert fresh != planted
    assert browser.get("/api/v1/me").json()["name"] == "adam"
    attacker = Browser(open_console())
    attacker.cookies.set(SESSION_COOKIE, planted)
    assert attacker.get("/api/v1/me").status_code == 401


def test_the_session_that_a_browser_had_is_over_once_it_logs_in_anew() -> None:
    app = open_console()
    browser, thief = Browser(app, "vera"), Browser(app)
    thief.cookies.set(SESSION_COOKIE, browser.cookies[SESSION_COOKIE])
    assert thief.get("/api/v1/me").status_code == 200
    browser.submit("/login", {"token": TOKEN_OF["adam"]}, form=browser.get("/login").text)
    assert thief.get("/api/v1/me").status_code == 401


def test_logging_out_ends_the_session_wherever_its_cookie_was_copied_to() -> None:
    app = open_console()
    browser, copy = Browser(app, "anna"), Browser(app)
    copy.cookies.set(SESSION_COOKIE, browser.cookies[SESSION_COOKIE])
    assert copy.get("/api/v1/me").status_code == 200
    assert browser.submit("/logout").headers["location"] == "/login"
    assert copy.get("/api/v1/me").status_code == 401


def test_a_session_ends_when_idle_and_ends_at_last_however_busy() -> None:
    clock = Clock()
    app = open_console(clock=clock, session_s=10_000.0, idle_s=1_000.0)
    idle, busy = Browser(app, "anna"), Browser(app, "ben")
    for _ in range(9):
        clock.now += 999.0
        assert busy.get("/api/v1/me").status_code == 200
    assert idle.get("/api/v1/me").status_code == 401
    clock.now += 1_001.0
    assert busy.get("/api/v1/me").status_code == 401


def test_a_page_that_refreshes_itself_keeps_no_session_from_being_idle() -> None:
    clock = Clock()
    browser = Browser(open_console(clock=clock, idle_s=100.0), "anna")
    by_itself = {"sec-fetch-dest": "empty"}
    clock.now += 60.0
    assert browser.get("/api/v1/me", headers=by_itself).status_code == 200
    clock.now += 60.0
    assert browser.get("/api/v1/me", headers=by_itself).status_code == 401


def test_a_cookie_that_we_did_not_sign_opens_nothing() -> None:
    sessions = Sessions(b"ours", Clock(), 100.0, 100.0)
    forged = Sessions(b"theirs", Clock(), 100.0, 100.0)
    cookie = sessions.open("anna", Role.ADMIN)
    key, _, signature = cookie.partition(".")
    assert sessions.find(cookie) is not None
    for wrong in (
        forged.open("anna", Role.ADMIN),
        key,
        f"{key}.",
        f".{signature}",
        f"{key}é.{signature}",
        None,
    ):
        assert sessions.find(wrong) is None


@pytest.mark.parametrize("secure", [True, False])
def test_the_cookie_of_a_session_is_no_business_of_scripts_and_other_sites(secure: bool) -> None:
    browser = Browser(open_console(secure=secure))
    browser.base_url = f"http{'s' if secure else ''}://{HOST}"
    answer = browser.log_in(TOKEN_OF["anna"])
    name = f"__Host-{SESSION_COOKIE}" if secure else SESSION_COOKIE
    cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith(f"{name}="))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert ("Secure" in cookie) is secure
    assert "Domain" not in cookie
    browser.submit("/logout")
    assert browser.get("/api/v1/me").status_code == 401
    assert name not in browser.cookies


def test_after_too_many_wrong_tokens_an_address_must_wait_even_with_the_right_one() -> None:
    clock = Clock()
    app = open_console(clock=clock, login_tries=3)
    browser = Browser(app)
    for _ in range(3):
        assert browser.log_in("wrong-wrong-wrong-wrong").status_code == 401
    refused = browser.log_in(TOKEN_OF["anna"])
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) <= 61
    assert Browser(app).get("/api/v1/me", headers=bearer("anna")).status_code == 429
    clock.now += 61.0
    assert browser.log_in(TOKEN_OF["anna"]).status_code == 303


def test_wrong_bearer_tokens_are_counted_too() -> None:
    app = open_console(login_tries=2)
    wrong = {"authorization": "Bearer nothing", "accept": "application/json"}
    statuses = [Browser(app).get("/api/v1/me", headers=wrong).status_code for _ in range(3)]
    assert statuses == [401, 401, 429]


def test_tries_are_forgotten_by_age_and_by_number_of_addresses() -> None:
    clock = Clock(0.0)
    tries = Tries(2, 60.0, clock)
    tries.failed("a")
    clock.now = 30.0
    tries.failed("a")
    assert tries.wait_s("a") == 30.0
    clock.now = 60.0
    assert tries.wait_s("a") == 0.0
    for number in range(20_001):
        tries.failed(f"address {number}")
    assert len(tries._failed) == 20_000


@pytest.mark.parametrize("path", ["/logout", "/language", "/queue/claim", "/queue/label/x", "/login"])
def test_a_form_without_our_token_changes_nothing(path: str) -> None:
    browser = Browser(open_console(), "adam")
    for data in ({}, {"csrf": ""}, {"csrf": "0" * 64}):
        answer = browser.post(path, data={"n": "1", "language": "zh", **data})
        assert answer.status_code == 403
        assert "form" in answer.text
    assert browser.get("/api/v1/me").status_code == 200


def test_the_form_token_of_one_person_is_worth_nothing_to_another() -> None:
    app = open_console()
    anna, ben = Browser(app, "anna"), Browser(app, "ben")
    token = anna.get("/api/v1/me").json()["form_token"]
    assert ben.post("/logout", data={"csrf": token}).status_code == 403
    assert ben.post("/logout", headers={"x-csrf-token": token}).status_code == 403
    assert anna.post("/logout", headers={"x-csrf-token": token}).status_code == 303


def test_a_browser_that_says_a_form_came_from_another_site_is_believed() -> None:
    browser = Browser(open_console(), "anna")
    token = browser.get("/api/v1/me").json()["form_token"]
    for site in ("cross-site", "same-site"):
        answer = browser.post("/logout", data={"csrf": token}, headers={"sec-fetch-site": site})
        assert answer.status_code == 403


def test_a_login_form_is_taken_only_from_the_browser_that_asked_for_it() -> None:
    app = open_console()
    page = Browser(app).get("/login").text
    other = Browser(app)
    other.get("/login")
    assert other.post("/login", data={"csrf": form_token(page), "token": TOKEN_OF["adam"]}).status_code == 403


def test_whoever_is_not_logged_in_is_led_to_the_login_and_back() -> None:
    browser = Browser(open_console())
    answer = browser.get("/queue?last=a%2Fb")
    assert answer.headers["location"] == "/login?next=%2Fqueue%3Flast%3Da%252Fb"
    page = browser.get(answer.headers["location"]).text
    assert 'name="next" value="/queue?last=a%2Fb"' in page


@pytest.mark.parametrize(
    "address",
    ["https://evil.test/", "//evil.test", "///evil.test", "/\\evil.test", "\\\\evil.test", "evil", "",
     "/login", "/\t/evil.test", "javascript:alert(1)", "/\n/evil.test"],
)  # fmt: skip
def test_a_login_leads_to_no_other_site(address: str) -> None:
    assert own_path(address) in ("/", "/evil.test", "/login")
    assert Browser(open_console()).log_in(TOKEN_OF["anna"], address).headers["location"] in (
        "/",
        "/evil.test",
    )


def test_a_token_is_found_by_its_hash_and_nothing_near_it() -> None:
    assert find_token(f" {TOKEN_OF['ben']}\n", TOKENS) is TOKENS[2]
    for wrong in ("", TOKEN_OF["ben"][:-1], TOKENS[2].sha256, "x" * 5_000, "\ud800"):
        assert find_token(wrong, TOKENS) is None
    assert make_token() != make_token()
    assert len(hash_token(make_token())) == 64


def test_what_is_written_down_names_people_and_never_a_token() -> None:
    heard = Heard()
    app = open_console(observer=heard)
    browser = Browser(app, "anna")
    browser.submit("/logout")
    browser.log_in("a-wrong-token-0123456789")
    Browser(app).get("/api/v1/me", headers={"authorization": "Bearer another-wrong-one-0123456789"})
    assert [(one["event"], one["by"]) for one in heard.events] == [
        ("login", "anna"), ("logout", "anna"), ("login refused", None), ("token refused", None),
    ]  # fmt: skip
    for secret in (TOKEN_OF["anna"], "a-wrong-token", "another-wrong-one"):
        assert secret not in repr(heard.events)


def test_configuration_and_tokens_print_no_secret() -> None:
    parts = open_console().state.parts
    assert TOKENS[0].sha256 not in repr(parts.config)
    assert repr(parts.config.secret) not in repr(parts.config)
