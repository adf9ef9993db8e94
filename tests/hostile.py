"""Hostile input, and checks of how a page answers it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DataError, connection, transaction
from django.db.models import CharField
from django.db.models.functions import Length
from django.http import QueryDict
from django.test import Client

TEXTS: dict[str, Any] = {
    "empty": "",
    "NUL": "a\0b",
    "Latin-1": "\u010de\u017ealj".encode("iso-8859-2"),  # as any bytes that are not UTF-8
    "very long": "x" * 1_000_000,
    "10**400": "1" + "0" * 400,
    "5000 digits": "9" * 5000,
    "1e400": "1e400",
    "above any column": str(10**30),
    "negative": "-1",
    "not a number": "NaN",
    "powers": "\u00b2",
    "twice": ["1", "2"],
    "markup": "<script>alert(1)</script>",
}
# Of these nothing may be kept, whatever the field.
NEVER = ("NUL", "Latin-1", "very long")
# These only numbers might be, or fields that may be left empty.
NUMBERS = ("10**400", "1e400", "above any column", "negative", "not a number", "powers")
# These are sent in one field after another, so that what the form leads to gets to see them.
SHARP = ("NUL", "5000 digits")
FILES = {
    "empty": b"",
    "NUL": b"\0" * 100,
    "UTF-16": "word1\tword2\n".encode("utf-16"),
    "Latin-1": "\u010de\u017ealj\n".encode("iso-8859-2"),
    "binary": bytes(range(256)) * 4,
    "spreadsheet": b"PK\x03\x04" + b"\xff" * 100,
    "huge": b"x" * 4_100_000,
    "one long line": b"\t" * 500_000,
}
LONGEST_BODY = 2_000_000  # bytes, of names and values; Django takes 2.5 MB
FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=b"
PART = b'--b\r\nContent-Disposition: form-data; name="reason"\r\n\r\n\xff\xfe\0\r\n--b--\r\n'
BODIES = {
    "no UTF-8": (b"\xff\xfe=\xff", FORM),
    "UTF-16": ("reason=a".encode("utf-16"), FORM),
    "said to be UTF-16": (b"reason=a", f"{FORM}; charset=utf-16"),
    "broken escapes": (b"reason=%&%zz=%u1234&=&&", FORM),
    "too many fields": (b"&".join(b"a%d=1" % n for n in range(1100)), FORM),
    "too large": (b"reason=" + b"x" * 2_700_000, FORM),
    "JSON": (b'{"reason": "\\ud800"}', "application/json"),
    "parts without an end": (PART[:40], PARTS),
    "parts without a boundary": (PART, "multipart/form-data"),
    "parts that are no text": (PART, PARTS),
    "parts in no encoding": (PART, f"{PARTS}; charset=nonsense"),
    "parts in a code that is none of text": (PART, f"{PARTS}; charset=hex"),
    "a type that is none": (b"a", "x/;;="),
}
BESIDE_THE_POINT = {
    "axes_", "surveys_accountsession", "surveys_reviewclaim", "surveys_signinbudget",
}  # fmt: skip


class Attacker:
    """A test client that sends anything; whatever a request stores is rolled back."""

    def __init__(self, **cookies: str) -> None:
        self.client = Client(raise_request_exception=False)
        self.cookies = cookies
        self.complaints: list[str] = []

    def get(self, address: str, query: Mapping[str, Any]) -> Any:
        return self._ask(lambda: self.client.get(f"{address}?{urlencode(query, doseq=True)}"))

    def post(self, address: str, fields: Mapping[str, Any]) -> Any:
        """Texts as a form sends them, perhaps in bytes that are none; files as parts of one."""
        if any(isinstance(value, SimpleUploadedFile) for value in fields.values()):
            texts = {k: v.decode(errors="replace") if isinstance(v, bytes) else v
                     for k, v in fields.items()}  # fmt: skip
            return self._ask(lambda: self.client.post(address, texts))
        return self.send(address, urlencode(fields, doseq=True).encode(), FORM)

    def send(self, address: str, body: bytes, kind: str) -> Any:
        return self._ask(lambda: self.client.generic("POST", address, body, kind))

    def _ask(self, ask: Any) -> Any:
        self.client.cookies.clear()
        for name, value in self.cookies.items():
            self.client.cookies[name] = value
        with undone():
            with watch_writes() as written, refusals_of_postgresql():
                answer = ask()
            answer.written = sorted(written)
            answer.too_long = find_too_long(written)
        return answer

    def judge(self, what: str, answer: Any, *, may_store: bool = True) -> None:
        """Keep what is wrong with an answer."""
        if answer.status_code >= 500:
            self.complaints.append(
                f"{what}: {answer.status_code} {answer.exc_info and answer.exc_info[1]!r:.200}"
            )
        elif answer.written and (answer.status_code >= 400 or not may_store):
            self.complaints.append(f"{what}: {answer.status_code}, stored in {answer.written}")
        elif answer.too_long:
            self.complaints.append(f"{what}: longer than the columns {answer.too_long}")
        elif not answer.streaming and b"<script>alert(1)" in answer.content:
            self.complaints.append(f"{what}: markup comes back as such")


@contextmanager
def undone() -> Iterator[None]:
    """Roll back whatever is stored within, also by durable transactions."""
    outer = transaction.atomic()
    outer._from_testcase = True  # noqa: SLF001  as of Django's tests: durable ones may be in it
    with outer:
        yield
        transaction.set_rollback(True)


@contextmanager
def watch_writes() -> Iterator[set[str]]:
    """The tables into which something is written."""
    written: set[str] = set()

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            words = sql.replace('"', "").split(maxsplit=5)[1:5]
            table = next(word for word in words if word not in {"INTO", "OR", "IGNORE", "FROM"})
            if not table.startswith(tuple(BESIDE_THE_POINT)):
                written.add(table)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield written


@contextmanager
def refusals_of_postgresql() -> Iterator[None]:
    """Refuse texts with a NUL on SQLite, too, as PostgreSQL does in columns and in JSON."""
    if connection.vendor == "postgresql":
        yield
        return

    def refuse(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        rows = params if many else [params]
        texts = [text for row in rows for text in row or () if isinstance(text, str)]
        if any("\0" in text or "\\u0000" in text for text in texts):
            raise DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        yield


def find_too_long(tables: Iterable[str]) -> list[str]:
    """Return the columns of tables that hold more text than PostgreSQL would take."""
    written = {*tables}
    return [
        f"{model._meta.db_table}.{field.column}"
        for model in (apps.get_models() if written else ())
        if model._meta.db_table in written
        for field in model._meta.concrete_fields
        if isinstance(field, CharField) and field.max_length
        if model.objects.alias(n=Length(field.attname)).filter(n__gt=field.max_length).exists()
    ]


@contextmanager
def watch_fields() -> Iterator[set[str]]:
    """The names under which a page looks for something in what is sent."""
    names: set[str] = set()
    looks = {}
    for method in ("get", "getlist", "__contains__", "__getitem__"):
        looks[method] = _noting(getattr(QueryDict, method), names)
    with patch.multiple(QueryDict, **looks):
        yield names


def _noting(look: Any, names: set[str]) -> Any:
    def noted(self: QueryDict, key: Any, *more: Any, **options: Any) -> Any:
        names.add(str(key))
        return look(self, key, *more, **options)

    return noted


def spoil(
    fields: Mapping[str, Any],
    files: Iterable[str] = (),
    kind_of: Callable[[str], str] = lambda name: name,
) -> Iterator[tuple[str, Any]]:
    """What is sent, with one field left out, or holding what it should not; then with all of them.

    What all forms check alike, field by field, is sent in all fields at once. Fields for which
    `kind_of` returns the same are checked by the same code: only the first one is spoilt or left
    out alone, then all of a kind together, while the other fields are right. In further rows of a
    table nothing is left out either. A form of words alone is sent no odd numbers but that of 5000
    digits.
    """
    files = [name for name in fields if name in files]
    alike: dict[str, list[str]] = {}
    rows = set()
    for name in fields:
        of_kind = alike.setdefault(kind_of(name), [])
        of_kind.append(name)
        column = re.sub(r"-\d+-", "-#-", name)
        if column not in rows and not of_kind[1:]:
            yield f"{name} missing", {key: value for key, value in fields.items() if key != name}
        rows.add(column)
        for kind in () if name in files or len(fields) == 1 or of_kind[1:] else SHARP:
            yield f"{name} {kind}", {**fields, name: TEXTS[kind]}
    for names in alike.values():
        if not names[1:]:
            continue
        what = f"{names[0]} and all like it"
        yield f"{what} missing", {key: fields[key] for key in fields if key not in names}
        for kind in SHARP:
            yield f"{what} {kind}", {**fields, **dict.fromkeys(names, TEXTS[kind])}
    for name in files:
        for kind, data in FILES.items():
            yield f"{name} {kind}", {**fields, name: SimpleUploadedFile("data.tsv", data)}
        yield f"{name} as text", {**fields, name: "a\0b"}
    is_prose = all(
        re.fullmatch(r"(?!on$)[a-z].*", str(text), re.IGNORECASE) for text in fields.values()
    )
    if fields:
        for kind, text in TEXTS.items():
            if kind == "very long":  # longer bodies are refused unread: BODIES
                text = text[: LONGEST_BODY // len(fields)]
            is_known = len(fields) > 1 and kind in SHARP  # each field has held it above
            if not is_known and not (is_prose and kind in NUMBERS):
                yield f"all {kind}", dict.fromkeys(fields, text)
        yield "files", {name: SimpleUploadedFile("a.bin", b"\xff\0") for name in fields}
