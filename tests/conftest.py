"""What all tests share: how Hypothesis runs, and a cache of compiled books of their own."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, settings

# How long an example takes says more about the machine, and who else uses it, than about the code.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("calm")

# Kept between runs, for they compile the same book again and again; never the user's own.
ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("GPUWISE_CACHE", str(ROOT / ".pytest_cache" / "compiled"))
