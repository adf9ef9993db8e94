"""The three-letter codes of languages that repositories use (ISO 639-3)."""

from babel.core import get_global

# of languages for which CLDR has several codes of three letters
CHOSEN = """
ak:aka ar:ara ay:aym az:aze cr:cre dz:dzo et:est fa:fas ff:ful gn:grn gu:guj hr:hrv ik:ipk iu:iku
kg:kon kr:kau ku:kur kv:kom lv:lav mg:mlg mn:mon ms:msa ne:nep oj:oji om:orm or:ori ps:pus qu:que
ro:ron sa:san sc:srd sq:sqi sr:srp sw:swa uz:uzb yi:yid za:zha zh:zho
"""
# codes of ISO 639-2/B, which CLDR has as well
BIBLIOGRAPHIC = """
alb arm baq bur chi cze dut fre geo ger gre ice mac mao may per rum slo tib wel
"""


def name_language(tag: str) -> str | None:
    """Return the code of three letters for a language tag, or None if it is unknown.

    >>> [name_language(tag) for tag in ("sl", "sr-Latn", "fa", "hsb", "xx")]
    ['slv', 'srp', 'fas', 'hsb', None]
    """
    code = tag.partition("-")[0]
    if len(code) == 3:
        return code
    chosen = dict(pair.split(":") for pair in CHOSEN.split())
    left_out = BIBLIOGRAPHIC.split()
    long_codes = {
        short: long
        for long, short in get_global("language_aliases").items()
        if len(long) == 3 and long not in left_out
    }
    return chosen.get(code) or long_codes.get(code)
