"""The site's settings, with an API rate that a test reaches."""

from annotation_site.settings import *  # noqa: F403

API_RATES = {"all": "30/day", "creating": "60/min", "exporting": "30/min"}
