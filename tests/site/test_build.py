"""One strict build makes both editions, and a page that asks for nothing real stops it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.site.library import EXAMPLES, SiteError
from engine.site.macros import NAMES, Macros, define_env
from tests.site.built import LANGUAGES, ROOT, Site
from tests.site.conftest import mkdocs


def test_both_editions_and_the_root_page_are_built(site: Site) -> None:
    assert "Aborted" not in site.log
    for language in LANGUAGES:
        assert site.pages[f"{language}/index.html"].language == language
    root = site.pages["index.html"]
    assert root.links == ["en/index.html", "zh/index.html"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_file_and_every_example_has_a_page(site: Site, language: str) -> None:
    built = site.edition(language)
    rules = [path.relative_to(ROOT / "rules") for path in (ROOT / "rules").rglob("*.yaml")]
    wanted = {
        f"reference/{path.with_suffix('.html').as_posix()}"
        for path in rules
        if path.name != "report.yaml" and path.parts[0] != "validation"
    }
    wanted |= {f"answers/{path.stem}.html" for path in (ROOT / EXAMPLES).glob("*.yaml")}
    assert len(wanted) > 40
    assert wanted <= set(built)


class Environment:
    """What macros need of the plugin, for one page."""

    def __init__(self, page: Path, language: str = "en") -> None:
        self.conf = {
            "config_file_path": str(ROOT / "mkdocs.yml"),
            "theme": {"language": language},
        }
        file = SimpleNamespace(src_uri="guide/page.md", abs_src_path=str(page))
        self.page = SimpleNamespace(file=file)
        self.macros: dict[str, object] = {}

    def macro(self, function: object, name: str) -> None:
        self.macros[name] = function


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('parameter("private_utilisation_flor")', "private_utilisation_floor"),
        ('decision("round_trip_ms", "no-such-case")', "there is no preset"),
        ('decision("upload_hours", "far-site")', "is unknown for far-site"),
        ('decision("no_such_decision", "far-site")', "no decision"),
        ('stated("data.size_gb", "far-site")', "does not state"),
        ('claim("no_such_claim")', "no claim"),
        ('guide("A9.9")', "no source"),
        ('source("nobody")', "no source"),
        ('rule_table("sourcing.nothing")', "no decision or column or advice"),
        ('catalog_table("accelerators", "weight")', "no column 'weight'"),
        ('catalog_table("cards", "name")', "no table 'cards'"),
        ('cell("accelerators", "h900", "name")', "no row 'h900'"),
        ('answer("far-site")', "is no example"),
        ("parameter('private_utilisation_flor')", "did you mean private_utilisation_floor"),
        ('cell("accelerators", "h100-sxn", "name")', "did you mean h100-sxm"),
        ('catalog_table("accelerators", "name", rows=["h100-sxn"])', "did you mean h100-sxm"),
        ('rule("sourcing.placement.placemnt")', "did you mean sourcing.placement.placement"),
        ("parameter()", "missing a required argument"),
        ("parameter(3)", "no parameter '3'"),
    ],
)
def test_what_does_not_exist_is_named_with_file_and_line(
    call: str, said: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\nSome words {{{{ {call} }}}}.\n", encoding="utf-8")
    environment = Environment(page)
    define_env(environment)
    with pytest.raises(SiteError) as caught:
        eval(call, dict(environment.macros))
    assert str(caught.value).startswith(f"{page}:3: {call.partition('(')[0]}: ")
    assert said in str(caught.value)


def test_every_macro_is_registered_under_its_name(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "page.md")
    define_env(environment)
    assert set(environment.macros) == set(NAMES)


def test_a_value_is_written_in_the_language_of_the_page(tmp_path: Path) -> None:
    english = Macros(Environment(tmp_path / "page.md", "en"))
    chinese = Macros(Environment(tmp_path / "page.md", "zh"))
    # 36 months are the guide's three years of certain work.
    assert "[36 months](" in english.parameter("private_months_floor")
    assert "[36 个月](" in chinese.parameter("private_months_floor")
    # A route of 1,500 km for 1,000 km as the crow flies, there and back at 204 km/ms, and 2 ms.
    assert "[16.7 ms](" in english.decision("round_trip_ms", "far-site")
    assert "[1,000 公里](" in chinese.stated("place.distance_km", "far-site")


SMALL = """\
INHERIT: {root}/mkdocs.yml
docs_dir: docs/{language}
site_dir: site/{language}
theme: {{name: material, language: {language}, custom_dir: {root}/docs/theme}}
nav: [index.md]
extra: {{also_build: [{others}], folders: {{}}}}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A site of a few words around the small book of the tests."""
    for name in ("rules", "catalog"):
        (tmp_path / name).symlink_to(ROOT / "tests" / "books" / "sample" / name)
    (tmp_path / "engine").symlink_to(ROOT / "engine")
    for language, name, others in (
        ("en", "mkdocs.yml", "mkdocs.zh.yml"),
        ("zh", "mkdocs.zh.yml", ""),
    ):
        settings = SMALL.format(root=ROOT.as_posix(), language=language, others=others)
        (tmp_path / name).write_text(settings, encoding="utf-8")
        page = tmp_path / "docs" / language / "index.md"
        page.parent.mkdir(parents=True)
        page.write_text("# Start {#start}\n\n[here](#start)\n", encoding="utf-8")
    return tmp_path


def test_any_book_makes_a_site(small: Path) -> None:
    done = mkdocs(small, small / "site")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (small / "site" / "zh" / "reference" / "index.html").is_file()


@pytest.mark.parametrize(
    ("language", "bad", "said"),
    [
        ("en", '{{ parameter("no_such_parameter") }}', "index.md:1: parameter"),
        ("zh", "{{ no_such_macro }}", "no_such_macro"),
        ("en", "[away](nowhere.md)", "nowhere.md"),
        ("zh", "[away](#nowhere)", "#nowhere"),
    ],
)
def test_a_broken_page_stops_the_build(language: str, bad: str, said: str, small: Path) -> None:
    page = small / "docs" / language / "index.md"
    page.write_text(f"# Start {bad} {{#start}}\n", encoding="utf-8")
    done = mkdocs(small, small / "site")
    assert done.returncode != 0
    assert said in done.stdout + done.stderr
