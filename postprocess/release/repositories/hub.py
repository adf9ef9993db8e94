"""The commit that puts the files of a release into a dataset repository of the Hugging Face Hub.

The card of the repository is the release's `README.md`, with its metadata block.
"""

import base64
import hashlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

SAMPLE = 512  # bytes of a file from which the Hub decides how it is stored
Line = dict[str, Any]


def describe_upload(files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the question how the Hub wants to store each file: in the commit, or as an object."""
    return {
        "files": [
            {
                "path": path,
                "size": len(content),
                "sample": base64.b64encode(content[:SAMPLE]).decode(),
            }
            for path, content in files.items()
        ]
    }


def list_lines(
    files: Mapping[str, bytes], summary: str, *, objects: Collection[str], removed: Collection[str]
) -> Iterator[Line]:
    """Yield the lines of a commit: its message, all files, and the files that it removes.

    `objects` are the paths of files that were uploaded as large objects (Git LFS).
    """
    yield {"key": "header", "value": {"summary": summary, "description": ""}}
    for path, content in files.items():
        if path in objects:
            digest = hashlib.sha256(content).hexdigest()
            value: Line = {"path": path, "algo": "sha256", "oid": digest, "size": len(content)}
            yield {"key": "lfsFile", "value": value}
        else:
            encoded = base64.b64encode(content).decode()
            value = {"path": path, "encoding": "base64", "content": encoded}
            yield {"key": "file", "value": value}
    for path in removed:
        yield {"key": "deletedFile", "value": {"path": path}}
