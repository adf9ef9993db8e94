"""The licences of published datasets, by SPDX identifier."""

from typing import NamedTuple


class Licence(NamedTuple):
    """The name of a licence on dataset hubs, and the URL of its text."""

    hub_name: str
    url: str


LICENCES = {
    "CC0-1.0": Licence("cc0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "CC-BY-4.0": Licence("cc-by-4.0", "https://creativecommons.org/licenses/by/4.0/"),
    "CC-BY-SA-4.0": Licence("cc-by-sa-4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
    "CC-BY-NC-4.0": Licence("cc-by-nc-4.0", "https://creativecommons.org/licenses/by-nc/4.0/"),
    "CC-BY-NC-SA-4.0": Licence(
        "cc-by-nc-sa-4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/"
    ),
    "CC-BY-ND-4.0": Licence("cc-by-nd-4.0", "https://creativecommons.org/licenses/by-nd/4.0/"),
    "CC-BY-SA-3.0": Licence("cc-by-sa-3.0", "https://creativecommons.org/licenses/by-sa/3.0/"),
    "ODC-By-1.0": Licence("odc-by", "https://opendatacommons.org/licenses/by/1-0/"),
    "ODbL-1.0": Licence("odbl", "https://opendatacommons.org/licenses/odbl/1-0/"),
    "PDDL-1.0": Licence("pddl", "https://opendatacommons.org/licenses/pddl/1-0/"),
}
