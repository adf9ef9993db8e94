import pytest

from tests.postprocess.auditing.corrupting import write_dataset


@pytest.fixture
def dataset_folder(tmp_path):
    return write_dataset(tmp_path)
