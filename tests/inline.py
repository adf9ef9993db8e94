"""Whether a page keeps to a policy under which a browser runs and styles nothing inline."""

from typing import Any

import lxml.html

HEADER = "Content-Security-Policy"


def find_inline(answer: Any) -> list[str]:
    """Return the inline scripts and styles of a page, and what its policy allows of them."""
    policy = answer.headers.get(HEADER, "")
    found = [] if "default-src 'none'" in policy else [f"policy {policy!r}"]
    found += [word for word in ("unsafe-inline", "unsafe-eval") if word in policy]
    if "html" not in answer.headers.get("Content-Type", "") or not answer.content:
        return found
    tree = lxml.html.fromstring(answer.content)
    inline = tree.xpath(
        "//style | //script[not(@src)] | //*[@style] | //*[@*[starts-with(name(), 'on')]]"
        " | //*[starts-with(@href, 'javascript:')]"
    )
    return found + [lxml.html.tostring(node, encoding="unicode")[:200] for node in inline]
