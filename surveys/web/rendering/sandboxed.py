"""HTML pages of the library, such as reports, served in a sandbox apart from the site."""

import re
from base64 import b64encode
from hashlib import sha256

from django.http import HttpResponse
from django.utils.html import format_html

STYLE = re.compile(rb"<style[^>]*>(.*?)</style>", re.DOTALL)
SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)  # without attributes: not data


def add_way_back(page: bytes, address: str, name: str) -> bytes:
    """Add a link to the page of the site from which a page of the library is opened."""
    link = format_html('<body><nav><p><a href="{}">Back to {}</a></p></nav>', address, name)
    return page.replace(b"<body>", link.encode(), 1)


def answer_sandboxed(page: bytes, *, with_script: bool = False) -> HttpResponse:
    """Return a page in a sandbox, whose policy names the hash of each of its styles.

    With `with_script` also of its scripts; nothing else of it is run, and nothing is loaded.
    """
    scripts = (
        f"script-src {_hashes(SCRIPT, page)}; sandbox allow-scripts" if with_script else "sandbox"
    )
    answer = HttpResponse(page)
    answer["Content-Security-Policy"] = (
        f"default-src 'none'; img-src data:; style-src {_hashes(STYLE, page)}; {scripts}; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
    return answer


def _hashes(part: re.Pattern[bytes], page: bytes) -> str:
    digests = (b64encode(sha256(text).digest()).decode() for text in part.findall(page))
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
