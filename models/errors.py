"""What can go wrong, each in one line: what happened, to what, and the way out.

    PagesideError
    ├── ModelUnknown            no such model, revision or file
    ├── ModelAbsent             a known model that has not been pulled
    ├── ModelDamaged            files that do not match their manifest
    ├── ManifestInvalid         a manifest that says what it must not
    ├── NameInvalid             a name that is no plain file name
    ├── StoreLocked             another process is changing the model
    ├── StoreUnusable           the store cannot be read or written
    │   └── DiskFull
    ├── SourceUnreachable       nobody answered, or not to the end
    ├── SourceLacks             an answer that there is no such package or file
    ├── SourceLied              an answer with other bytes than were promised
    ├── GgufInvalid             a GGUF file whose header cannot be true
    └── ConversionUnsupported   a true GGUF file that we cannot convert

`pageside.server.errors` and `pageside.browser.errors` add their own below PagesideError.
"""


class PagesideError(Exception):
    """A failure whose text is meant for the user.

    It crosses threads and the network as data: `code`, `message` and `hint`.
    """

    code: str = "failed"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class ModelUnknown(PagesideError):
    code = "model_unknown"


class ModelAbsent(PagesideError):
    code = "model_absent"


class ModelDamaged(PagesideError):
    code = "model_damaged"


class ManifestInvalid(PagesideError):
    code = "manifest_invalid"


class NameInvalid(PagesideError):
    code = "name_invalid"


class StoreLocked(PagesideError):
    code = "store_locked"


class StoreUnusable(PagesideError):
    code = "store_unusable"


class DiskFull(StoreUnusable):
    code = "disk_full"


class SourceUnreachable(PagesideError):
    code = "source_unreachable"


class SourceLacks(PagesideError):
    code = "source_lacks"


class SourceLied(PagesideError):
    code = "source_lied"


class GgufInvalid(PagesideError):
    code = "gguf_invalid"


class ConversionUnsupported(PagesideError):
    code = "conversion_unsupported"
