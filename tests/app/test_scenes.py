"""Where turns come from is read once, and held as a number for each turn."""

from __future__ import annotations

import pytest

from nocturne.app.scenes import _Origins
from nocturne.passes.scene import Origin


def test_each_turn_has_its_origin() -> None:
    told = {2: Origin(1, "morning", 20_000), 3: Origin(1, "morning", 20_000), 9: Origin(2, None, None)}
    origins = _Origins((turn, of.source, of.session, of.day) for turn, of in told.items())
    assert dict(origins) == told
    assert origins[2] is origins[3]
    assert len(origins) == 3
    for turn in (-1, 0, 1, 8, 10):
        assert turn not in origins
        with pytest.raises(KeyError):
            origins[turn]
