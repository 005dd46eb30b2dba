"""What can go wrong with a peer.

PagesideError
└── PeerError
    ├── PeerUnknown        no peer has that name
    ├── PeerUnavailable    it could not be installed or built
    └── PeerFailed         its server did not come up, or cannot be ended
"""

from pageside.models.errors import PagesideError


class PeerError(PagesideError):
    code = "peer_error"


class PeerUnknown(PeerError):
    code = "peer_unknown"


class PeerUnavailable(PeerError):
    code = "peer_unavailable"


class PeerFailed(PeerError):
    code = "peer_failed"
