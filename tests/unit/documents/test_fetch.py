from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.threaded_server import Asked, Reply, ThreadedServer, threaded_server

from seatrial.documents.base import Limits
from seatrial.documents.fetch import FetchSettings, fetch_file, is_public, is_reachable
from seatrial.errors import DocumentError

OPEN = FetchSettings(allows_address=is_reachable)


@dataclass
class Site:
    """A web server whose answers a test can set: path -> (status, headers, body)."""

    server: ThreadedServer
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.server.url

    def sent(self, header: str) -> list[str | None]:
        """A header of each request so far."""
        return [asked.headers.get(header) for asked in self.server.requests]

    def answer(self, asked: Asked) -> Reply:
        status, headers, body = self.answers.get(asked.path, (404, {}, b""))
        for validator, question in (("etag", "if-none-match"), ("last-modified", "if-modified-since")):
            if validator in headers and asked.headers.get(question) == headers[validator]:
                return Reply(b"", 304, headers)
        return Reply(body, status, headers)


@pytest.fixture
def site() -> Iterator[Site]:
    with threaded_server() as server:
        site = Site(server)
        server.answer = site.answer
        yield site


def test_a_file_is_fetched_with_its_suffix(site: Site, tmp_path: Path) -> None:
    site.answers["/a/report.pdf?key=secret"] = (200, {}, b"content")
    fetched = fetch_file(f"{site.url}/a/report.pdf?key=secret", tmp_path, settings=OPEN)
    assert fetched.path.read_bytes() == b"content"
    assert fetched.path.suffix == ".pdf"
    assert fetched.source == f"{site.url}/a/report.pdf"


def test_a_copy_is_used_while_the_server_says_that_it_holds(site: Site, tmp_path: Path) -> None:
    site.answers["/a.txt"] = (200, {"etag": '"1"'}, b"first")
    for _ in range(2):
        assert fetch_file(f"{site.url}/a.txt", tmp_path, settings=OPEN).path.read_bytes() == b"first"
    assert site.sent("if-none-match") == [None, '"1"']
    site.answers["/a.txt"] = (200, {"etag": '"2"'}, b"second")
    assert fetch_file(f"{site.url}/a.txt", tmp_path, settings=OPEN).path.read_bytes() == b"second"


def test_a_copy_without_a_tag_is_asked_about_by_its_date(site: Site, tmp_path: Path) -> None:
    date = "Mon, 30 Nov 2026 10:00:00 GMT"
    site.answers["/a.txt"] = (200, {"last-modified": date}, b"first")
    for _ in range(2):
        assert fetch_file(f"{site.url}/a.txt", tmp_path, settings=OPEN).path.read_bytes() == b"first"
    assert site.sent("if-modified-since") == [None, date]


def test_a_copy_is_asked_about_behind_a_redirect_too(site: Site, tmp_path: Path) -> None:
    site.answers["/old"] = (302, {"location": "/new.txt"}, b"")
    site.answers["/new.txt"] = (200, {"etag": '"1"'}, b"here")
    for _ in range(2):
        assert fetch_file(f"{site.url}/old", tmp_path, settings=OPEN).path.read_bytes() == b"here"
    assert site.sent("if-none-match") == [None, None, '"1"', '"1"']


def test_without_cache_the_file_is_always_fetched(site: Site, tmp_path: Path) -> None:
    site.answers["/a.txt"] = (200, {"etag": '"1"'}, b"first")
    for _ in range(2):
        fetch_file(f"{site.url}/a.txt", tmp_path, is_cached=False, settings=OPEN)
    assert site.sent("if-none-match") == [None, None]


def test_a_damaged_copy_is_not_trusted(site: Site, tmp_path: Path) -> None:
    site.answers["/a.txt"] = (200, {"etag": '"1"'}, b"first")
    fetch_file(f"{site.url}/a.txt", tmp_path, settings=OPEN).path.write_bytes(b"tampered")
    assert fetch_file(f"{site.url}/a.txt", tmp_path, settings=OPEN).path.read_bytes() == b"first"


def test_when_the_server_is_away_the_copy_is_used_and_that_is_told(site: Site, tmp_path: Path) -> None:
    site.answers["/a.txt"] = (200, {}, b"first")
    fetch_file(f"{site.url}/a.txt", tmp_path, settings=OPEN)
    site.answers["/a.txt"] = (503, {}, b"")
    fetched = fetch_file(f"{site.url}/a.txt", tmp_path, settings=OPEN)
    assert fetched.path.read_bytes() == b"first"
    assert fetched.note == "the kept copy was used: the server answered 503"
    with pytest.raises(DocumentError, match="answered 503"):
        fetch_file(f"{site.url}/a.txt", tmp_path, is_cached=False, settings=OPEN)


def test_redirects_are_followed_and_each_place_is_checked(site: Site, tmp_path: Path) -> None:
    port = site.url.rpartition(":")[2]
    site.answers["/old"] = (302, {"location": "/new.txt"}, b"")
    site.answers["/new.txt"] = (200, {}, b"here")
    assert fetch_file(f"{site.url}/old", tmp_path, settings=OPEN).path.read_bytes() == b"here"
    only_this = FetchSettings(allows_address=lambda address: address == "127.0.0.1")
    site.answers["/out"] = (301, {"location": f"http://127.0.0.2:{port}/new.txt"}, b"")
    with pytest.raises(DocumentError, match=r"127\.0\.0\.2 is a private or local address"):
        fetch_file(f"{site.url}/out", tmp_path, settings=only_this)
    site.answers["/file"] = (302, {"location": "file:///etc/passwd"}, b"")
    with pytest.raises(DocumentError, match="is no web address"):
        fetch_file(f"{site.url}/file", tmp_path, settings=OPEN)
    site.answers["/round"] = (302, {"location": "/round"}, b"")
    with pytest.raises(DocumentError, match="more than 5 redirects"):
        fetch_file(f"{site.url}/round", tmp_path, settings=OPEN)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0", "127.1"),
        *("127。0。0。1", "１２７.0.0.1", "①②⑦.0.0.1", "２１３０７０６４３３"),
    ],
)
def test_the_own_network_is_closed_however_it_is_written(site: Site, tmp_path: Path, host: str) -> None:
    port = site.url.rpartition(":")[2]
    site.answers["/a.txt"] = (200, {}, b"inside")
    with pytest.raises(DocumentError, match="cannot be fetched"):
        fetch_file(f"http://{host}:{port}/a.txt", tmp_path)
    assert site.server.requests == []


def test_a_name_is_resolved_once_for_the_check_and_the_connection(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that changes its address between the two (DNS rebinding) would get in otherwise."""
    port = int(site.url.rpartition(":")[2])
    addresses = iter(["127.0.0.1", "127.0.0.2", "127.0.0.3"])
    real = socket.getaddrinfo

    def resolve(host: str, *rest: Any, **options: Any) -> Any:
        return real(next(addresses) if host == "rebind.example" else host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    site.answers["/a.txt"] = (200, {}, b"fine")
    only_this = FetchSettings(allows_address=lambda address: address == "127.0.0.1")
    url = f"http://rebind.example:{port}/a.txt"
    assert fetch_file(url, tmp_path, is_cached=False, settings=only_this).path.read_bytes() == b"fine"
    with pytest.raises(DocumentError, match=r"rebind\.example is a private or local address"):
        fetch_file(url, tmp_path, is_cached=False, settings=only_this)
    assert next(addresses) == "127.0.0.3"
    assert len(site.server.requests) == 1


def test_a_name_with_one_private_address_among_public_ones_is_refused(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(site.url.rpartition(":")[2])
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in ("93.184.215.14", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_rest, **_options: found)
    with pytest.raises(DocumentError, match=r"mixed\.example is a private or local address"):
        fetch_file(f"http://mixed.example:{port}/a.txt", tmp_path)


def test_a_redirect_from_outside_does_not_lead_in(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = int(site.url.rpartition(":")[2])
    real = socket.getaddrinfo
    names = {"outside.example": "127.0.0.1", "inside.example": "127.0.0.2"}

    def resolve(host: str, *rest: Any, **options: Any) -> Any:
        return real(names.get(host, host), *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    only_this = FetchSettings(allows_address=lambda address: address == "127.0.0.1")
    for target in (
        f"http://inside.example:{port}/a.txt",
        f"//inside.example:{port}/a.txt",
        "http://[::1]/",
        "http://0/",
    ):
        site.answers["/go"] = (307, {"location": target}, b"")
        with pytest.raises(DocumentError, match="cannot be fetched"):
            fetch_file(f"http://outside.example:{port}/go", tmp_path, settings=only_this)
    assert site.sent("host") == [f"outside.example:{port}"] * 4


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.com/a", "gopher://x", "/local/path", "http://", "javascript:1"]
)
def test_only_web_addresses_are_fetched(tmp_path: Path, url: str) -> None:
    with pytest.raises(DocumentError, match="is no web address"):
        fetch_file(url, tmp_path)


@pytest.mark.parametrize("url", ["http://[::1/x", "http://[x]/", "http://a]b/"])
def test_what_is_no_address_is_told(site: Site, tmp_path: Path, url: str) -> None:
    with pytest.raises(DocumentError, match="is no address"):
        fetch_file(url, tmp_path)
    site.answers["/away"] = (302, {"location": url}, b"")
    with pytest.raises(DocumentError, match="is no address"):
        fetch_file(f"{site.url}/away", tmp_path, settings=FetchSettings(allows_address=is_reachable))


def test_a_body_over_the_limit_is_refused_also_when_it_is_packed(site: Site, tmp_path: Path) -> None:
    small = FetchSettings(allows_address=is_reachable, limits=Limits(max_bytes=1000))
    site.answers["/big"] = (200, {}, b"x" * 1001)
    site.answers["/packed"] = (200, {"content-encoding": "gzip"}, gzip.compress(b"x" * 1_000_000))
    for path in ("/big", "/packed"):
        with pytest.raises(DocumentError, match="larger than 1,000 bytes"):
            fetch_file(site.url + path, tmp_path, settings=small)


def test_a_missing_file_and_a_silent_server_are_errors(site: Site, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="answered 404"):
        fetch_file(f"{site.url}/gone", tmp_path, settings=OPEN)
    site.answers["/slow"] = (200, {"content-length": "10"}, b"half")
    quick = FetchSettings(allows_address=is_reachable, timeout_s=0.2)
    with pytest.raises(DocumentError, match=r"slow"):
        fetch_file(f"{site.url}/slow", tmp_path, settings=quick)


def test_errors_hold_no_password_and_no_query(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        fetch_file("http://user:hush@127.0.0.1:1/a.txt?token=hush", tmp_path)
    assert "hush" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("10.1.2.3", False),
        ("192.168.0.1", False),
        ("172.16.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.1.2.3", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
    ],
)
def test_which_addresses_are_public(address: str, expected: bool) -> None:
    assert is_public(address) is expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("8.8.8.8", True),
        ("10.1.2.3", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("fc00::1", True),
        ("169.254.169.254", False),
        ("::ffff:169.254.169.254", False),
        ("fe80::1%eth0", False),
        ("224.0.0.1", False),
        ("::", False),
    ],
)
def test_allowed_private_addresses_are_those_of_one_host_and_not_a_clouds_own(address: str, expected: bool) -> None:
    assert is_reachable(address) is expected
