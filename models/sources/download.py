"""One file over HTTP, known beforehand by size and sha256, resumed wherever it stopped.

The bytes so far lie in `<name>.part`, unbuffered, so that a killed process loses at most
the chunk in flight; `<name>.part.tag` holds what the server called that content. The file
gets its own name only when its hash is right.
"""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx

from pageside.models.disk import sha256_of, writing
from pageside.models.errors import SourceLied, SourceUnreachable
from pageside.models.sources.web import ANOTHER_INDEX, asking, check_status, shown

CHUNK_BYTES = 256 << 10
ATTEMPTS_MAX = 5  # in one process; each but the first goes on where the last one broke

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Download:
    """`url` to be kept as `path`, with the content it must have."""

    url: httpx.URL
    path: Path
    size_bytes: int
    sha256: str

    def run(self, client: httpx.Client, report: Report) -> None:
        """Fetches what is missing. `report` is told (done, total) bytes.

        SourceUnreachable leaves the part for the next run, SourceLied leaves nothing.
        """
        with writing(self.path):
            resumed = self._part_bytes() > 0
            self._fetch_all(client, report)
            if resumed and not self._is_right():
                self._drop()  # the part was bad, perhaps since a power cut: once more from zero
                self._fetch_all(client, report)
            self._settle()

    def _fetch_all(self, client: httpx.Client, report: Report) -> None:
        for attempt in range(ATTEMPTS_MAX):
            before = self._part_bytes()
            try:
                self._fetch_rest(client, report)
                return
            except SourceUnreachable:
                got_nothing = self._part_bytes() <= before
                if got_nothing or attempt + 1 == ATTEMPTS_MAX:
                    raise
            except SourceLied:
                self._drop()
                raise

    def _fetch_rest(self, client: httpx.Client, report: Report) -> None:
        if self._part_bytes() > self.size_bytes:
            self._drop()
        have = self._part_bytes()
        report(have, self.size_bytes)
        if have == self.size_bytes:
            return
        headers = {"Accept-Encoding": "identity", **self._range_headers(have)}
        with asking(self.url), client.stream("GET", self.url, headers=headers) as response:
            start = self._start(response, have)
            self._tag.write_text(_validator(response), "latin-1")
            self._write(response, start, report)
        if (have := self._part_bytes()) < self.size_bytes:
            raise SourceUnreachable(
                f"{shown(self.url)} ended at {have} of {self.size_bytes} bytes",
                hint="start again to go on from there",
            )

    def _range_headers(self, have: int) -> dict[str, str]:
        if not have:
            return {}
        tag = self._tag.read_text("latin-1") if self._tag.exists() else ""
        return {"Range": f"bytes={have}-"} | ({"If-Range": tag} if tag else {})

    def _start(self, response: httpx.Response, have: int) -> int:
        """Where the answer's first byte belongs; refuses what cannot be the file."""
        if response.status_code == 416:
            raise self._lie(f"has no more than {have} bytes")
        check_status(response)
        if response.headers.get("content-type", "").partition(";")[0] == "text/html":
            raise self._lie("answered with an HTML page instead of the file")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise self._lie("answered compressed although asked not to")
        start, total = self._place(response)
        if total not in (None, self.size_bytes):
            raise self._lie(f"has {total} bytes instead of {self.size_bytes}")
        if start not in (0, have):
            raise self._lie(f"answered from byte {start} instead of {have}")
        return start

    def _place(self, response: httpx.Response) -> tuple[int, int | None]:
        """(first byte, size of the whole file or None) of an answer 206 or 200."""
        if response.status_code != 206:
            length = response.headers.get("content-length", "")
            return 0, int(length) if length.isdecimal() else None
        said = response.headers.get("content-range", "")
        place = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", said)
        if not place:
            raise self._lie("answered a part without saying which")
        return int(place[1]), None if place[2] == "*" else int(place[2])

    def _write(self, response: httpx.Response, start: int, report: Report) -> None:
        with self._part.open("r+b" if start else "wb", buffering=0) as file:
            file.seek(start)
            done = start
            for chunk in response.iter_raw(CHUNK_BYTES):
                done += len(chunk)
                if done > self.size_bytes:
                    raise self._lie(f"has more than {self.size_bytes} bytes")
                _write_all(file, chunk)
                report(done, self.size_bytes)

    def _settle(self) -> None:
        if not self._is_right():
            self._drop()
            raise self._lie("has other content than expected (sha256 differs)")
        self._part.replace(self.path)
        self._tag.unlink(missing_ok=True)

    def _lie(self, what: str) -> SourceLied:
        hint = f"a login page or proxy may stand between; {ANOTHER_INDEX}"
        return SourceLied(f"{shown(self.url)} {what}", hint=hint)

    def _is_right(self) -> bool:
        return self._part_bytes() == self.size_bytes and sha256_of(self._part) == self.sha256

    def _drop(self) -> None:
        self._part.unlink(missing_ok=True)
        self._tag.unlink(missing_ok=True)

    def _part_bytes(self) -> int:
        return self._part.stat().st_size if self._part.exists() else 0

    @property
    def _part(self) -> Path:
        return self.path.with_name(f"{self.path.name}.part")

    @property
    def _tag(self) -> Path:
        return self.path.with_name(f"{self.path.name}.part.tag")


def _validator(response: httpx.Response) -> str:
    """What If-Range may carry: a strong ETag, else the date, else nothing."""
    tag: str = response.headers.get("etag", "")
    if tag and not tag.startswith("W/"):
        return tag
    date: str = response.headers.get("last-modified", "")
    return date


def _write_all(file: io.FileIO, chunk: bytes) -> None:
    """A raw file may take less than it is given, for one when the disk fills up."""
    view = memoryview(chunk)
    while view:
        view = view[file.write(view) :]
