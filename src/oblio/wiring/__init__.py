"""From settings to live objects. The only importer of concrete backends."""

from oblio.audit.page import render_html
from oblio.audit.receipt import Receipt
from oblio.audit.verify import LogReport
from oblio.settings import Settings
from oblio.wiring.opening import Opening, build, opened, replayed
from oblio.wiring.parts import Parts
from oblio.wiring.sources import extracted, read_source

__all__ = [
    "LogReport",
    "Opening",
    "Parts",
    "Receipt",
    "Settings",
    "build",
    "extracted",
    "opened",
    "read_source",
    "render_html",
    "replayed",
]
