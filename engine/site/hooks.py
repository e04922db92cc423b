"""Hooks of MkDocs: the generated pages, every edition in one build, and the page at the root.

`extra.editions` lists the languages of the site; the edition whose configuration has
`extra.also_build` builds the other configurations after itself and writes the root page.
"""

from __future__ import annotations

import posixpath
import sys
from html import escape
from pathlib import Path
from typing import Any

# MkDocs loads this file by its path. The rules and the engine of one folder belong together,
# whichever copy of the engine the environment has installed.
_ROOT = str(Path(__file__).resolve().parents[2])
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)

from mkdocs.config import load_config  # noqa: E402
from mkdocs.config.defaults import MkDocsConfig  # noqa: E402
from mkdocs.structure.files import File, Files  # noqa: E402
from mkdocs.structure.pages import Page  # noqa: E402

from engine.site.library import open_library  # noqa: E402
from engine.site.pages import Pages  # noqa: E402
from engine.site.typography import join_lines  # noqa: E402


def _pages(config: MkDocsConfig) -> Pages:
    root = str(Path(str(config.config_file_path)).parent)
    folders = config.extra.get("folders", {})
    return Pages(open_library(root), str(config.theme["language"]), folders)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the generated pages after those written by hand."""
    config.nav = [*(config.nav or []), *_pages(config).navigation()]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, content in _pages(config).every():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return join_lines(html) if config.theme["language"] == "zh" else html


def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, nav: object
) -> dict[str, Any]:
    """Where the same page stands in the other editions, for the switch in the header."""
    here = posixpath.join("edition", page.file.dest_uri)
    context["editions"] = [
        {
            "name": edition["name"],
            "language": edition["language"],
            "address": posixpath.relpath(
                posixpath.join(edition["folder"], page.file.dest_uri), posixpath.dirname(here)
            ),
        }
        for edition in config.extra["editions"]
        if edition["language"] != config.theme["language"]
    ]
    return context


def on_post_build(config: MkDocsConfig) -> None:
    """Build the other editions beside this one, as strictly, and the page that leads to each."""
    others = config.extra.get("also_build", [])
    if not others:
        return
    from mkdocs.commands.build import build

    site = Path(config.site_dir).parent
    root = Path(str(config.config_file_path)).parent
    for name in others:
        other = load_config(str(root / name), strict=config.strict)
        other.site_dir = str(site / Path(other.site_dir).name)
        other.plugins.on_startup(command="build", dirty=False)
        build(other)
        other.plugins.on_shutdown()
    (site / "index.html").write_text(_root_page(config), encoding="utf-8")
    open_library.cache_clear()  # rules may have changed before the next build of this process


def _root_page(config: MkDocsConfig) -> str:
    links = "\n".join(
        f'<li><a href="{escape(edition["folder"])}/index.html" '
        f'hreflang="{escape(edition["language"])}" lang="{escape(edition["language"])}">'
        f"{escape(edition['name'])}</a></li>"
        for edition in config.extra["editions"]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(config.site_name)}</title>\n"
        "<style>body{font:1.25rem/1.6 system-ui,sans-serif;margin:4rem auto;max-width:30rem;"
        "padding:0 1rem}</style>\n</head>\n<body>\n"
        f"<h1>{escape(config.site_name)}</h1>\n<ul>\n{links}\n</ul>\n</body>\n</html>\n"
    )
