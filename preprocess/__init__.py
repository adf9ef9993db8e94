"""From a corpus to the stimuli of a study: windows, scores, candidates.

A window is a few consecutive sentences of a document that contain both words of a pair. The
package needs neither the site nor a database; what it shares with `postprocess` (the files of
stimuli) it imports from there.
"""
