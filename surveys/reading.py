"""What somebody sends as text → what a database can be asked for."""

LONGEST_QUERY = 200
LARGEST = 2**63 - 1  # of what any column of ours holds


def read_query(text: str) -> str:
    """What is looked for: trimmed, cut, without null characters, which PostgreSQL refuses."""
    return text.replace("\0", "").strip()[:LONGEST_QUERY]


def read_number(text: str, largest: int = LARGEST) -> int | None:
    """The whole number that stands there in digits; None for anything else, or if it is larger."""
    if not text.isdecimal() or len(text) > len(str(largest)):  # int() refuses thousands of digits
        return None
    number = int(text)
    return number if number <= largest else None
