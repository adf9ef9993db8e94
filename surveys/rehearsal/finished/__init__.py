"""The finished demo study: answers of invented people, their review, a run and a release."""
