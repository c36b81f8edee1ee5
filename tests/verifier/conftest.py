"""Fixtures of the verifier's tests."""

import os
from pathlib import Path

import pytest

from tests.support import node


@pytest.fixture(scope="session")
def page_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The verifier for the browser, built once for all workers of a run."""
    own = tmp_path_factory.getbasetemp()
    return node.build((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "node")
