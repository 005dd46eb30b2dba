"""What can go wrong with the browser and the page in it, each in one line.

    PagesideError
    └── BrowserError
        ├── BrowserNotFound     no Chromium on this machine, or not where it was said to be
        ├── BrowserFailed       it is there and does not start
        ├── BrowserLost         the browser, or the page in it, ended while in use
        ├── ServerUnreachable   nobody answers at the page's address
        ├── PageInvalid         somebody answers there who is not Pageside
        ├── PageError           the page's own report, with the page's own code
        ├── RequestInvalid      a prompt or an option that cannot be meant
        └── AlreadyGenerating   a prompt while the answer to another is being read

Playwright's errors are mapped where they enter: `launch` and `tab`.
"""

from collections.abc import Mapping

from pageside.models.errors import PagesideError


class BrowserError(PagesideError):
    code = "browser_error"


class BrowserNotFound(BrowserError):
    code = "browser_not_found"


class BrowserFailed(BrowserError):
    code = "browser_failed"


class BrowserLost(BrowserError):
    code = "browser_lost"


class ServerUnreachable(BrowserError):
    code = "server_unreachable"


class PageInvalid(BrowserError):
    code = "page_invalid"


class RequestInvalid(BrowserError):
    code = "request_invalid"


class AlreadyGenerating(BrowserError):
    code = "already_generating"


class PageError(BrowserError):
    """An error of the page or its worker, as it crossed into Python.

    `failure` has the fields `code`, `message` and `hint` of worker/protocol.js;
    `code` is the page's, for instance "prompt_too_long" or "weights_corrupt".
    """

    def __init__(self, failure: Mapping[str, str]) -> None:
        super().__init__(failure["message"], hint=failure.get("hint", ""))
        self.code = failure["code"]
