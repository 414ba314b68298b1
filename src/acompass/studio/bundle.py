"""The files of the page, as `make client` builds them. Nothing of the server is imported here."""

from importlib.resources import files

#: the files that are served, and no others
FILES = {"studio.js": "text/javascript", "studio.css": "text/css"}


def bundled(name: str) -> bytes:
    return files(__package__).joinpath("static", name).read_bytes()
