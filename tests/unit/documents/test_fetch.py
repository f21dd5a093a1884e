from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from seatrial.documents.base import Limits
from seatrial.documents.fetch import FetchSettings, fetch_file, is_any, is_public
from seatrial.errors import DocumentError

OPEN = FetchSettings(allows_address=is_any)


@dataclass
class Site:
    """A web server on the loopback whose answers a test can set: path -> (status, headers, body)."""

    url: str = ""
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            site.requests.append((self.path, headers))
            status, extra, body = site.answers.get(self.path, (404, {}, b""))
            if "etag" in extra and headers.get("if-none-match") == extra["etag"]:
                status, body = 304, b""
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **extra}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield site
    server.shutdown()
    thread.join()
    server.server_close()


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
    assert [headers.get("if-none-match") for _, headers in site.requests] == [None, '"1"']
    site.answers["/a.txt"] = (200, {"etag": '"2"'}, b"second")
    assert fetch_file(f"{site.url}/a.txt", tmp_path, settings=OPEN).path.read_bytes() == b"second"


def test_without_cache_the_file_is_always_fetched(site: Site, tmp_path: Path) -> None:
    site.answers["/a.txt"] = (200, {"etag": '"1"'}, b"first")
    for _ in range(2):
        fetch_file(f"{site.url}/a.txt", tmp_path, is_cached=False, settings=OPEN)
    assert [headers.get("if-none-match") for _, headers in site.requests] == [None, None]


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


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0"])
def test_the_own_network_is_closed_however_it_is_written(site: Site, tmp_path: Path, host: str) -> None:
    port = site.url.rpartition(":")[2]
    site.answers["/a.txt"] = (200, {}, b"inside")
    with pytest.raises(DocumentError, match="cannot be fetched"):
        fetch_file(f"http://{host}:{port}/a.txt", tmp_path)
    assert site.requests == []


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.com/a", "gopher://x", "/local/path", "http://", "javascript:1"]
)
def test_only_web_addresses_are_fetched(tmp_path: Path, url: str) -> None:
    with pytest.raises(DocumentError, match="is no web address"):
        fetch_file(url, tmp_path)


def test_a_body_over_the_limit_is_refused_also_when_it_is_packed(site: Site, tmp_path: Path) -> None:
    small = FetchSettings(allows_address=is_any, limits=Limits(max_bytes=1000))
    site.answers["/big"] = (200, {}, b"x" * 1001)
    site.answers["/packed"] = (200, {"content-encoding": "gzip"}, gzip.compress(b"x" * 1_000_000))
    for path in ("/big", "/packed"):
        with pytest.raises(DocumentError, match="larger than 1,000 bytes"):
            fetch_file(site.url + path, tmp_path, settings=small)


def test_a_missing_file_and_a_silent_server_are_errors(site: Site, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="answered 404"):
        fetch_file(f"{site.url}/gone", tmp_path, settings=OPEN)
    site.answers["/slow"] = (200, {"content-length": "10"}, b"half")
    quick = FetchSettings(allows_address=is_any, timeout_s=0.2)
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
