"""Who may ask: the secrets of one start of the studio, compared in constant time."""

import hmac
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

#: the only address that is listened on and answered for
HOST = "127.0.0.1"
_BYTES = 32


def _new_secret() -> str:
    return secrets.token_urlsafe(_BYTES)


@dataclass(frozen=True, slots=True)
class Access:
    """The token is in the address that opens the page; the page itself has only the cookie, which no script
    can read. Two studios differ in their port, and so in the name of their cookies."""

    port: int
    token: str = field(default_factory=_new_secret, repr=False)
    cookie: str = field(default_factory=_new_secret, repr=False)

    @property
    def host(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie_name(self) -> str:
        return f"acompass-studio-{self.port}"

    @property
    def set_cookie(self) -> str:
        return f"{self.cookie_name}={self.cookie}; HttpOnly; SameSite=Strict; Path=/"

    def has_token(self, token: str) -> bool:
        return _equal(token, self.token)

    def has_cookie(self, header: str) -> bool:
        try:
            morsel = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return False
        return morsel is not None and _equal(morsel.value, self.cookie)


def _equal(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())
