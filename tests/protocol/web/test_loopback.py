"""What reaches an app on loopback, and what does not."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from protocol.web.loopback import Guard
from tests.support.asgi import Answer, Browser, ask

PORT = 8123
HOST = f"127.0.0.1:{PORT}"


@pytest.fixture
def done() -> list[str]:
    """What the app was told to do."""
    return []


@pytest.fixture
def guard() -> Guard:
    return Guard(PORT, max_body=1000)


@pytest.fixture
def app(guard: Guard, done: list[str]) -> ASGIApp:
    async def read(request: Request) -> Response:
        return PlainTextResponse("secret", headers={"cache-control": "public"})

    async def write(request: Request) -> Response:
        done.append((await request.body()).decode())
        return PlainTextResponse("done")

    async def fail(request: Request) -> Response:
        raise RuntimeError("a fault of the app")

    async def go(request: Request) -> Response:
        targets = {"own": "/own", "other": "https://other.example/", "two": "//two.example"}
        return RedirectResponse(targets[request.path_params["name"]])

    routes = [
        Route("/", read),
        Route("/", write, methods=["POST", "PUT"]),
        Route("/fail", fail),
        Route("/go/{name}", go),
    ]
    return guard.around(Starlette(routes=routes))


@pytest.fixture
def browser(app: ASGIApp, guard: Guard) -> Browser:
    return Browser(app, guard, PORT)


def refused(answer: Answer, status: int = 403) -> bool:
    return answer.status == status and "secret" not in answer.text


def test_the_first_address_lets_a_browser_in(browser: Browser) -> None:
    assert browser.get("/").text == "secret"


def test_the_cookie_is_for_this_site_alone_and_for_no_script(app: ASGIApp, guard: Guard) -> None:
    entered = ask(app, "GET", guard.address().partition(HOST)[2], {"host": HOST})
    flags = (entered.header("set-cookie") or "").split("; ")[1:]
    assert flags == ["HttpOnly", "SameSite=Strict", f"Path={guard.root}/"]
    assert entered.header("location") == f"{guard.root}/"


def test_an_address_works_once(app: ASGIApp, guard: Guard) -> None:
    target = guard.address().partition(HOST)[2]
    assert ask(app, "GET", target, {"host": HOST}).status == 303
    again = ask(app, "GET", target, {"host": HOST})
    assert refused(again)
    assert again.header("set-cookie") is None


@pytest.mark.parametrize("query", ["", "?token=", "?token=abc", "?other=1"])
def test_a_guessed_token_lets_nobody_in(app: ASGIApp, guard: Guard, query: str) -> None:
    guard.address()
    assert refused(ask(app, "GET", f"/enter{query}", {"host": HOST}))


def test_nobody_is_let_in_for_coming_from_this_machine(app: ASGIApp) -> None:
    assert refused(ask(app, "GET", "/", {"host": HOST}))
    assert refused(ask(app, "GET", "/", {"host": HOST, "cookie": f"tallystick-{PORT}=guessed"}))
    assert refused(ask(app, "GET", "/", {"host": HOST, "x-forwarded-for": "127.0.0.1"}))


def test_the_path_of_the_pages_is_another_one_in_each_run_and_no_part_of_the_first_address(guard: Guard) -> None:
    """The list of processes shows the first address. A server that knows the path could collect the cookie."""
    assert guard.root != Guard(PORT).root
    assert len(guard.root) > 20
    assert guard.root not in guard.address()


def test_the_path_of_the_pages_alone_lets_nobody_in(app: ASGIApp, guard: Guard) -> None:
    assert refused(ask(app, "GET", f"{guard.root}/", {"host": HOST}))
    assert refused(ask(app, "GET", f"{guard.root}/enter?token=abc", {"host": HOST}))


@pytest.mark.parametrize("path", ["/", "/r-guessed/", "{root}", "{root}x/", "/x{root}/", "{root}/../", "/static/"])
def test_nothing_is_served_outside_of_that_path(browser: Browser, path: str) -> None:
    """A cookie that came there was not sent by a browser that keeps to the cookie's path."""
    assert refused(ask(browser.app, "GET", path.format(root=browser.root), browser.headers), 404)


def test_a_redirect_of_the_app_stays_below_its_path(browser: Browser) -> None:
    for name, target in (("own", f"{browser.root}/own"), ("other", "https://other.example/"), ("two", "//two.example")):
        found = ask(browser.app, "GET", f"{browser.root}/go/{name}", browser.headers)
        assert found.header("location") == target


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"localhost.evil.example:{PORT}", ""]
)
def test_a_foreign_name_for_this_machine_is_refused(browser: Browser, host: str) -> None:
    """DNS rebinding: the browser believes that the page of evil.example comes from 127.0.0.1."""
    assert refused(browser.ask("GET", "/", browser.headers | {"host": host}), 421)


def test_a_token_is_not_used_up_under_a_foreign_name(app: ASGIApp, guard: Guard) -> None:
    target = guard.address().partition(HOST)[2]
    assert ask(app, "GET", target, {"host": "evil.example"}).status == 421
    assert ask(app, "GET", target, {"host": HOST}).status == 303


def test_localhost_is_the_same_machine(browser: Browser) -> None:
    assert browser.ask("GET", "/", browser.headers | {"host": f"localhost:{PORT}"}).status == 200


def test_two_hosts_in_one_request_are_refused(browser: Browser) -> None:
    assert refused(browser.ask("GET", "/", [*browser.headers.items(), ("host", "evil.example")]), 400)


def test_a_page_on_another_port_of_this_machine_reads_nothing(browser: Browser) -> None:
    """To a browser it is the same site, so its requests come with the cookie."""
    for site in ("same-site", "cross-site"):
        assert refused(browser.ask("GET", "/", browser.headers | {"sec-fetch-site": site}))


def test_the_apps_own_pages_may_post(browser: Browser, done: list[str]) -> None:
    assert browser.post("/", said="yes").status == 200
    assert browser.fetch("/", {"said": "yes"}).status == 200
    assert ["said=yes" in done[0], done[1]] == [True, '{"said": "yes"}']


FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    "changed",
    [
        {"origin": "https://evil.example"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"origin": "null", "sec-fetch-site": "same-site"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"https://{HOST}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {"cookie": ""},
    ],
)
def test_a_page_of_another_site_cannot_post(browser: Browser, done: list[str], changed: dict[str, str]) -> None:
    """Even if it knew the secret of the forms."""
    headers = browser.headers | FORM | {"origin": f"http://{HOST}", "x-csrf-token": browser.guard.csrf} | changed
    assert refused(browser.ask("POST", "/", headers, b"said=yes"))
    assert done == []


def test_a_form_whose_origin_the_browser_hides_needs_its_word_for_the_site(browser: Browser, done: list[str]) -> None:
    """Chromium sends the origin null with a form of a page without referrers, and says that the site is the same."""
    headers = browser.headers | FORM | {"origin": "null", "x-csrf-token": browser.guard.csrf}
    unsaid = {name: value for name, value in headers.items() if name != "sec-fetch-site"}
    assert refused(browser.ask("POST", "/", unsaid, b"said=yes"))
    assert done == []
    assert browser.ask("POST", "/", headers, b"said=yes").status == 200


def test_a_post_without_an_origin_is_refused(browser: Browser, done: list[str]) -> None:
    headers = browser.headers | FORM | {"x-csrf-token": browser.guard.csrf}
    assert refused(browser.ask("POST", "/", headers, b"said=yes"))
    assert done == []


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "application/json", "text/plain", ""])
@pytest.mark.parametrize("secret", [None, "", "wrong"])
def test_a_post_without_the_secret_of_the_pages_is_refused(
    browser: Browser, done: list[str], kind: str, secret: str | None
) -> None:
    headers = browser.headers | {"origin": f"http://{HOST}", "content-type": kind}
    body = b"said=yes"
    if secret is not None:
        headers |= {"x-csrf-token": secret}
        body = f"said=yes&csrf={secret}".encode()
    assert refused(browser.ask("POST", "/", headers, body))
    assert done == []


def test_a_body_beyond_the_limit_is_refused(browser: Browser, done: list[str]) -> None:
    headers = browser.headers | FORM | {"origin": f"http://{HOST}", "x-csrf-token": browser.guard.csrf}
    assert refused(browser.ask("POST", "/", headers, b"a" * 1001), 413)
    assert refused(browser.ask("POST", "/", headers | {"content-length": "1001"}, b""), 413)
    assert refused(browser.ask("POST", "/", headers | {"content-length": "-1"}, b""), 413)
    assert done == []
    assert browser.ask("POST", "/", headers, b"a" * 1000).status == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(browser: Browser, done: list[str], method: str) -> None:
    headers = browser.headers | FORM | {"origin": f"http://{HOST}", "x-csrf-token": browser.guard.csrf}
    assert refused(browser.ask(method, "/", headers), 405)
    assert done == []


def test_every_response_has_the_headers(app: ASGIApp, guard: Guard, browser: Browser) -> None:
    """A refusal, an unknown page, the entrance, and a page that sets others itself."""
    answers = [
        browser.get("/"),
        browser.get("/nowhere"),
        browser.post("/nowhere"),
        ask(app, "GET", guard.address().partition(HOST)[2], {"host": HOST}),
        ask(app, "GET", "/", {"host": HOST}),
        ask(app, "GET", "/", {"host": "evil.example"}),
        ask(app, "GET", "/", browser.headers),
    ]
    assert [each.status for each in answers] == [200, 404, 404, 303, 403, 421, 404]
    for answer in answers:
        policy = answer.header("content-security-policy") or ""
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "base-uri 'none'" in policy
        assert answer.header("cache-control") == "no-store"
        assert answer.header("x-content-type-options") == "nosniff"
        assert answer.header("referrer-policy") == "no-referrer"


def test_a_fault_of_the_app_has_the_headers_and_no_details(browser: Browser) -> None:
    seen = []

    async def app(scope, receive, send):  # type: ignore[no-untyped-def]
        async def note(message):  # type: ignore[no-untyped-def]
            seen.append(message)
            await send(message)

        await browser.app(scope, receive, note)

    with pytest.raises(RuntimeError):
        ask(app, "GET", f"{browser.root}/fail", browser.headers)
    assert seen[0]["status"] == 500
    assert (b"cache-control", b"no-store") in seen[0]["headers"]
    assert b"fault of the app" not in seen[1]["body"]


def test_two_apps_do_not_share_a_session() -> None:
    """A browser sends a cookie to every port of a host."""
    one, other = Guard(8001), Guard(8002)
    assert one.cookie != other.cookie
