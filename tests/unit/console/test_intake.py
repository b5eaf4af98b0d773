"""What comes in and what goes out, whatever it is: hosts, sizes, headers, errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from console.security.headers import HEADERS
from console.security.intake import host_name
from console.visit import Parts
from tests.support.console import TOKEN_OF, Browser, Heard, bearer, open_console


@pytest.mark.parametrize(
    "host", ["evil.test", "console.test.evil.test", "127.0.0.1", "", "console.test@evil"]
)
def test_a_request_for_another_host_is_refused(host: str) -> None:
    answer = Browser(open_console()).get("/login", headers={"host": host})
    assert answer.status_code == 421
    assert "RAGPULSE_CONSOLE__PUBLIC_URL" in answer.text
    assert answer.headers["content-security-policy"]


def test_a_host_is_known_by_its_name_whatever_the_port() -> None:
    assert host_name("Console.Test:8400") == "console.test"
    assert host_name("[::1]:8400") == "[::1]"
    assert host_name("console.test.") == "console.test"
    assert Browser(open_console()).get("/login", headers={"host": "CONSOLE.test:1"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/login", "/", "/nowhere", "/static/keys.js", "/static/nothing", "/api/v1/me", "/api/openapi.json"],
)
def test_every_answer_carries_the_safe_headers(path: str) -> None:
    answer = Browser(open_console()).get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value, name
    is_file = path == "/static/keys.js"
    assert answer.headers["cache-control"] == ("public, max-age=3600" if is_file else "no-store")
    assert "server" not in answer.headers


def test_the_policy_allows_no_script_style_or_frame_but_our_files() -> None:
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_browsers_that_came_over_tls_are_told_to_stay_there() -> None:
    assert "strict-transport-security" in Browser(open_console(secure=True)).get("/login").headers
    assert "strict-transport-security" not in Browser(open_console()).get("/login").headers


def test_a_body_that_is_too_large_is_refused_by_its_length() -> None:
    answer = Browser(open_console(max_body_bytes=1_000)).post("/login", data={"token": "x" * 1_001})
    assert answer.status_code == 413


def test_a_body_that_hides_its_length_is_refused_as_it_comes() -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 100

    browser = Browser(open_console(max_body_bytes=1_000))
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert browser.post("/login", content=pieces(), headers=kind).status_code == 413
    assert browser.post("/api/v1/queue/claims", content=pieces(), headers=bearer("anna")).status_code == 413


def test_an_address_that_is_too_long_is_refused() -> None:
    assert Browser(open_console()).get(f"/login?next={'x' * 5_000}").status_code == 414


@pytest.mark.parametrize(
    "path", ["/static/../config.py", "/static/%2e%2e/config.py", "/static/..%2fapp.py", "/static/"]
)
def test_files_beside_the_static_ones_are_not_served(path: str) -> None:
    assert Browser(open_console()).get(path).status_code == 404


def test_errors_are_pages_for_people_and_problem_details_for_programs() -> None:
    browser = Browser(open_console())
    page = browser.get("/nowhere")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is no such page" in page.text
    for path, headers in (("/api/v1/nowhere", {}), ("/nowhere", {"accept": "application/json"})):
        problem = browser.get(path, headers=headers)
        assert problem.headers["content-type"] == "application/problem+json"
        assert problem.json()["status"] == 404
    shut = browser.get("/api/v1/me")
    assert (shut.status_code, shut.headers["www-authenticate"]) == (401, "Bearer")


def test_errors_speak_the_language_of_the_browser() -> None:
    page = Browser(open_console(), **{"accept-language": "zh-CN,zh;q=0.9,en;q=0.8"}).get("/nowhere")
    assert "没有这个页面" in page.text
    assert '<html lang="zh">' in page.text


def test_what_is_invalid_is_named_and_not_repeated() -> None:
    browser = Browser(open_console())
    answer = browser.post("/api/v1/queue/claims", json={"n": "<script>"}, headers=bearer("anna"))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "n"
    assert "script" not in answer.text
    assert browser.post("/api/v1/queue/claims", json={"m": 1}, headers=bearer("anna")).status_code == 422
    broken = browser.post(
        "/api/v1/queue/claims", content=b"{", headers=bearer("anna") | {"content-type": "application/json"}
    )
    assert broken.status_code == 422


def test_a_store_that_is_away_is_a_page_that_says_so_and_the_rest_lives_on() -> None:
    heard = Heard()
    browser = Browser(open_console(observer=heard), "anna")
    page = browser.get("/queue")
    assert (page.status_code, page.headers["retry-after"]) == (503, "5")
    assert "ClickHouse does not answer" in page.text
    assert browser.get("/api/v1/queue/stats").json()["status"] == 503
    assert browser.get("/api/v1/me").status_code == 200
    assert heard.crashes == []


def test_what_nobody_foresaw_is_a_page_without_its_inside_and_is_written_down_once() -> None:
    class Broken:
        def held_by(self, name: str) -> None:
            raise ZeroDivisionError("the inside of the console")

    heard = Heard()
    browser = Browser(open_console(observer=heard, queue=Broken()), "anna")
    answer = browser.get("/queue")
    assert answer.status_code == 500
    assert "the inside" not in answer.text
    assert answer.headers["content-security-policy"]
    assert [type(one) for one in heard.crashes] == [ZeroDivisionError]
    assert heard.requests[-1] == ("/queue", "GET", 500)


def test_requests_are_counted_by_route_never_by_address() -> None:
    heard = Heard()
    app = open_console(observer=heard)
    browser = Browser(app)
    browser.get("/login?next=/case/secret")
    browser.get("/nowhere/secret")
    browser.get("/queue/label/secret", headers=bearer("vera"))
    browser.get("/static/keys.js")
    assert [one[0] for one in heard.requests] == ["/login", "none", "/queue/label/{lease_id}", "/static"]


def test_the_language_is_remembered_by_the_browser() -> None:
    browser = Browser(open_console())
    page = browser.get("/login").text
    answer = browser.submit("/language", {"language": "zh", "next": "/login"}, form=page)
    assert answer.headers["location"] == "/login"
    assert '<html lang="zh">' in browser.get("/login").text
    browser.submit("/language", {"language": "../../etc"}, form=browser.get("/login").text)
    assert '<html lang="zh">' in browser.get("/login").text
    browser.submit("/login", {"token": TOKEN_OF["anna"]}, form=browser.get("/login").text)
    assert browser.get("/api/v1/me").status_code == 200


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"n":' * 50_000, b"\xff\xfe", b'{"n": 1e999}', b"null", b'"\\ud800"', b""]
)
def test_json_of_any_kind_is_refused_and_breaks_nothing(body: bytes) -> None:
    heard = Heard()
    headers = bearer("anna") | {"content-type": "application/json"}
    answer = Browser(open_console(observer=heard)).post("/api/v1/queue/claims", content=body, headers=headers)
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    assert heard.crashes == []


def test_the_parts_of_the_application_are_in_one_place() -> None:
    assert isinstance(open_console().state.parts, Parts)


def test_a_body_that_is_none_is_called_so_and_reasons_are_plain_sentences() -> None:
    browser = Browser(open_console())
    sent = bearer("anna") | {"content-type": "application/json"}

    def refusal(address: str, content: bytes) -> dict[str, str]:
        answer: dict[str, str] = browser.post(address, content=content, headers=sent).json()["errors"][0]
        return answer

    assert refusal("/api/v1/queue/claims", b"")["field"] == "body"
    assert refusal("/api/v1/queue/claims", b"[]")["field"] == "body"
    assert refusal("/api/v1/queue/claims", b"nonsense") == {"field": "body", "why": "JSON decode error"}
    label = refusal("/api/v1/queue/leases/l/label", b'{"failure": "healthy", "hallucination": true}')
    assert label == {"field": "body", "why": "the class is healthy, and yet hallucination is true"}
