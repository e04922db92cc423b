"""gpuwise: an open rule book that says what computing work needs and where it should run.

`engine.load()` gives the rule book; `.recommend(profile)` answers. Everything else is imported
when first used, so that a command pays only for what it does.
"""

from __future__ import annotations

from engine.version import __version__

TYPE_CHECKING = False  # of typing, which a first decision should not wait for
if TYPE_CHECKING:
    from engine.run.facade import RuleBook

__all__ = ["__version__", "load"]


def load(root: str | None = None) -> RuleBook:
    """The rule book under `root` (default: the one that ships with the package)."""
    from engine.run.facade import RuleBook

    return RuleBook.load(root)
