"""verify.py as a module, from beside the package: it is no part of it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

FILE = Path(__file__).parents[2] / "verify.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verify"] = module
    spec.loader.exec_module(module)
    return module


verify = _load()
