"""All cheats, whatever they are about."""

from collections.abc import Mapping

from tests.support.forging.catalogue import CHEATS, Cheat
from tests.support.forging.classcheats import CLASSES
from tests.support.forging.clawedback import CLAWBACKS
from tests.support.forging.events import EVENTS
from tests.support.forging.spotcheats import ESCALATIONS
from tests.support.forging.validationcheats import VALIDATIONS
from tests.support.forging.witnessed import WITNESSED

SPOT_CHEATS: Mapping[str, Cheat] = {**ESCALATIONS, **VALIDATIONS, **CLASSES}
"""Those in matters with spot checks, escalations, validations and classes."""

ALL_CHEATS: Mapping[str, Cheat] = {**CHEATS, **EVENTS, **CLAWBACKS, **WITNESSED, **SPOT_CHEATS}
"""The ordinary ones, those about events, claw-backs and witnesses, and those."""
