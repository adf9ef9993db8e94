"""How texts were found: `origin_<lang>.json`, a JSON object, and the same in files of `preprocess`.

It has the settings of the search and of the choice of candidates: version, files of the corpus,
filters, seeds, and models with their digests.
"""

import json
from collections.abc import Mapping
from typing import Any

Origin = Mapping[str, Any]


class OriginError(ValueError):
    """An origin cannot be read."""


def parse_origin(data: bytes) -> dict[str, Any]:
    """Read an origin, any JSON object without NUL characters. Raises OriginError.

    >>> parse_origin(b'{"version": "1.0"}')
    {'version': '1.0'}
    """
    try:
        origin = json.loads(data.decode())
        text = render_origin(origin).decode()
    except (ValueError, RecursionError) as error:
        raise OriginError(f"it is not valid JSON ({error})") from error
    if not isinstance(origin, dict) or "\\u0000" in text:
        raise OriginError("it is not a JSON object of texts and numbers")
    return origin


def render_origin(origin: Origin) -> bytes:
    """Return the content of the file. Raises ValueError for what JSON cannot hold."""
    text = json.dumps(origin, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()
