"""The order of the passes; a policy only switches passes off."""

from __future__ import annotations

from nocturne.passes.contradict import Contradict
from nocturne.passes.dedupe import Dedupe
from nocturne.passes.encode import Encode
from nocturne.passes.forget import Forget
from nocturne.passes.merge import Merge
from nocturne.passes.promote import Promote
from nocturne.passes.scene import Pass
from nocturne.passes.schematise import Schematise

ENCODE: Pass = Encode()
NIGHT: tuple[Pass, ...] = (Dedupe(), Contradict(), Merge(), Promote(), Schematise(), Forget())
