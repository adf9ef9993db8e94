from tests.fixtures.providers import no_target_answers

__all__ = ["no_target_answers"]  # a fixture
