"""The page itself: template, style, script and data in one file that asks nothing of any network.

No text of a store is ever read as markup: data stands in a block that no browser runs, its brackets escaped, and
the script puts it into the page as text alone. The policy in the head lets exactly this style and script run.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib import resources
from typing import Any

SCRIPTS = (
    "record", "strength", "dom", "timeline", "passes", "changes", "refusals", "fading", "facts", "detail", "main",
)  # fmt: skip
"""The parts of the script, in the order in which they are joined."""
STYLES = ("base", "charts", "parts")

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_ESCAPED = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def page(data: Mapping[str, Any]) -> str:
    """The whole file."""
    style = "\n".join(_asset(f"{name}.css") for name in STYLES)
    script = "(() => {\n'use strict';\n" + "\n".join(_asset(f"{name}.js") for name in SCRIPTS) + "})();\n"
    parts = {
        "policy": escape(policy(style, script)),
        "title": escape(f"{data['name']} · nocturne"),
        "style": style,
        "script": script,
        "data": embedded(data),
    }
    # One walk over the template: what a part holds is not looked at again.
    return _PLACE.sub(lambda found: parts[found[1]], _asset("page.html"))


def policy(style: str, script: str) -> str:
    """The content security policy: nothing is loaded, and only these two blocks take effect."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {_hash(style)}",
            f"script-src {_hash(script)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def embedded(data: Mapping[str, Any]) -> str:
    """JSON that neither ends its block nor opens a comment in it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_ESCAPED)


def _hash(block: str) -> str:
    return f"'sha256-{b64encode(sha256(block.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")
