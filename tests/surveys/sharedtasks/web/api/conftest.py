from tests.surveys.web.api.conftest import forgotten_throttles

__all__ = ["forgotten_throttles"]
