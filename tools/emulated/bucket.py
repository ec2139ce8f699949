"""S3 for functions on this machine, over the folder where `turnkeep dev` stores large values: both see the same
objects. It supports only the calls of the store of large values, in buckets of any name."""

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape, unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from turnkeep.store.uploads import OWNER
from turnkeep_local.objects import FolderObjects

_NO_SUCH_KEY = b"<Error><Code>NoSuchKey</Code><Message>Nothing lies there.</Message></Error>"
_DELETED = b'<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>'


@contextmanager
def serve_bucket(objects: FolderObjects) -> Iterator[str]:
    """Yield the URL of an S3 that runs until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *args: _Bucket(objects, *args))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Bucket(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, objects: FolderObjects, *args: object) -> None:
        self._objects = objects
        super().__init__(*args)  # type: ignore[arg-type]

    def do_PUT(self) -> None:
        self._objects.put(self._key(), self._body())
        self._answer(200)

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        if "list-type" in asked:
            after = asked.get("start-after", [""])[0]
            found = [key for key in self._objects.names(asked["prefix"][0]) if key > after]
            self._answer(200, _listing(found))
            return
        try:
            body = self._objects.get(self._key())
        except KeyError:
            self._answer(404, _NO_SUCH_KEY)
            return
        if self._key().startswith("uploads/"):
            owner, _, body = body.partition(b"\n")  # the format of KeptUploads
            self._answer(200, body, {OWNER: owner.decode("ascii", "replace")})
            return
        self._answer(200, body)

    def do_POST(self) -> None:
        """Delete the listed keys."""
        self._objects.delete([unescape(key) for key in re.findall("<Key>(.*?)</Key>", self._body().decode())])
        self._answer(200, _DELETED)

    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).split("/", 2)[2]

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _answer(self, status: int, body: bytes = b"", headers: Mapping[str, str] = {}) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: the log belongs to the function."""


def _listing(found: list[str]) -> bytes:
    keys = "".join(f"<Contents><Key>{escape(key)}</Key></Contents>" for key in found)
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>".encode()
