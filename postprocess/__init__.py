"""Post-processing of graded similarity ratings: tables and files in, dataset files out.

Ratings are calibrated, filtered, rescaled and aggregated (Hill et al., 2015; Armendariz et al.,
2020), and written in the published formats of CoSimLex. The package knows nothing of Django, of
the clock or of the network: the same input gives the same bytes.
"""

__version__ = "0.1.0"
