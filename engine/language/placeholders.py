"""Placeholders of texts: `{name}` and `{name:form}`."""

from __future__ import annotations

import re

# Group 1 is the dotted name, group 2 the form (None without one).
PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.]*)(?::([^{}]*))?\}")
