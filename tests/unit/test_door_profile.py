"""The door: every kind of bad input is refused with its place and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.book.model import Fact, Field, TableData
from engine.language.tree import Fact as FactNode
from engine.language.tree import Lookup
from engine.language.types import BOOLEAN, TEXT, Unit, enumeration, number
from engine.readers.document import InputError, document_of, parse_document, read_document
from engine.readers.profile import Profile, admit

GB = Unit("GB", (("information", 1),), 8e9)
MBIT = Unit("Mbit/second", (("information", 1), ("time", -1)), 1e6)
MONEY = Unit("money/month", (("money", 1), ("time", -1)), 1 / 2628000.0)
CARD = Unit("card", (("card", 1),), 1.0)
HOUR = Unit("hour", (("time", 1),), 3600.0)

TASK = enumeration(("inference", "lora", "full_finetune"))
BY_NAME = Lookup("models", FactNode("model.name"), "layers")

FACTS = {
    fact.path: fact
    for fact in (
        Fact("task", "enumeration", TASK, asked=True),
        Fact("currency", "enumeration", enumeration(("USD", "CNY"))),
        Fact("as_of", "date", number()),
        Fact("notes", "text", TEXT),
        Fact("model.name", "key", TEXT, key_of="models"),
        Fact("model.layers", "integer", number(low=1, high=1000, integer=True), derive=BY_NAME),
        Fact("model.parameters_b", "number", number(low=0.001, high=1e5)),
        Fact("data.size_gb", "number", number(GB, 0, 1e9)),
        Fact("data.uplink_mbit_per_s", "number", number(MBIT, 0, 1e6)),
        Fact("data.may_leave_premises", "boolean", BOOLEAN),
        Fact("budget.per_month", "number", number(MONEY, 0, 1e9)),
        Fact("budget.currency", "enumeration", enumeration(("USD", "CNY"))),
        Fact("usage.sustained_utilisation", "number", number(low=0, high=1)),
        Fact(
            "usage.load_curve",
            "distribution",
            TEXT,
            max_rows=256,
            fields=(Field("gpus", number(CARD, 0, 1e5)), Field("hours", number(HOUR, 0, 1e5))),
        ),
        Fact(
            "constraints.gpus",
            "list",
            TEXT,
            key_of="accelerators",
            max_rows=3,
            fields=(Field("value", TEXT),),
        ),
        Fact(
            "owned",
            "records",
            TEXT,
            max_rows=5,
            fields=(
                Field("gpu", TEXT, key_of="accelerators"),
                Field("count", number(CARD, 1, 1e5, integer=True)),
            ),
        ),
    )
}
TABLES = {
    "models": TableData((("llama-3.1-8b",), ("qwen3-32b",)), {"Llama 3.1 8B": "llama-3.1-8b"}),
    "accelerators": TableData((("h100-sxm",), ("h100-pcie",), ("l4",)), {"NVIDIA L4": "l4"}),
}


def read(text: str, language: str = "en") -> Profile:
    document = parse_document(text, "p.yaml", language)
    return admit(document, FACTS, TABLES, required=("task",), language=language)


def refused(text: str, language: str = "en") -> list[str]:
    """What is said about a profile that must be refused."""
    with pytest.raises(InputError) as caught:
        read(text, language)
    return [str(problem) for problem in caught.value.problems]


def only(text: str) -> str:
    found = refused(text)
    assert len(found) == 1, found
    return found[0]


def test_a_good_profile_becomes_flat_facts() -> None:
    profile = read(
        "task: lora\nas_of: 2026-11-30\nmodel:\n  name: Llama 3.1 8B\n  layers: 32\n"
        "data: {size_gb: 50, may_leave_premises: false}\n"
        "constraints: {gpus: [l4, H100-SXM]}\nowned: [{gpu: l4, count: 2}]\n"
        "usage: {load_curve: [{gpus: 2, hours: 100}]}\n"
    )
    assert profile.given == {
        "task": "lora", "as_of": 20787.0, "model.name": "llama-3.1-8b", "model.layers": 32.0,
        "data.size_gb": 50.0, "data.may_leave_premises": False,
        "constraints.gpus": [("l4",), ("h100-sxm",)], "owned": [("l4", 2.0)],
        "usage.load_curve": [(2.0, 100.0)],
    }  # fmt: skip
    assert type(profile.given["model.layers"]) is float


def test_yaml_json_and_dict_mean_the_same() -> None:
    yaml = read("task: lora\nmodel: {layers: 32}\ndata.size_gb: 5e1\n")
    json = read('{"task": "lora", "model": {"layers": 32}, "data": {"size_gb": 50}}')
    python = admit(
        document_of({"task": "lora", "model": {"layers": 32}, "data": {"size_gb": 50}}),
        FACTS, TABLES,
    )  # fmt: skip
    assert yaml.given == json.given == python.given


@pytest.mark.parametrize(
    ("written", "path", "value"),
    [
        ("data: {size_gb: 50 GB}", "data.size_gb", 50.0),
        ("data: {size_gb: 500 MB}", "data.size_gb", 0.5),
        ("data: {size_gb: 1 TB}", "data.size_gb", 1000.0),
        ("data: {uplink_mbit_per_s: 5 Mbit/s}", "data.uplink_mbit_per_s", 5.0),
        ("data: {uplink_mbit_per_s: 1 Gbit/s}", "data.uplink_mbit_per_s", 1000.0),
        ("usage: {sustained_utilisation: 35 %}", "usage.sustained_utilisation", 0.35),
        ("budget: {per_month: CNY 20000}", "budget.per_month", 20000.0),
        ("budget: {per_month: 20000 CNY}", "budget.per_month", 20000.0),
        ("budget: {per_month: ¥20000/month}", "budget.per_month", 20000.0),
    ],
)
def test_a_quantity_is_converted_into_the_unit_of_its_field(
    written: str, path: str, value: float
) -> None:
    assert read(f"task: lora\n{written}").given[path] == value


def test_the_currency_of_an_amount_becomes_the_currency_of_its_group() -> None:
    assert read("task: lora\nbudget: {per_month: CNY 20000}").given["budget.currency"] == "CNY"


def test_an_amount_in_another_currency_than_stated_is_refused() -> None:
    said = only("task: lora\nbudget: {per_month: CNY 20000, currency: USD}")
    assert "E103" in said and "CNY" in said and "budget.currency says USD" in said


BAD = [
    ("a field that does not exist", "task: lora\nmodel: {layer: 3}", "p.yaml:2:9: E101",
     "did you mean model.layers?"),
    ("a field in the wrong group", "task: lora\nlayers: 3", "E101", "did you mean model.layers?"),
    ("a misspelt group", "task: lora\nmodle: {layers: 3}", "p.yaml:2:1: E101",
     "did you mean model?"),
    ("a text where a number belongs", "task: lora\nmodel: {layers: many}", "p.yaml:2:17: E12",
     ""),
    ("a number in quotes", 'task: lora\nmodel: {layers: "32"}', "E102", "write 32 without quotes"),
    ("a boolean where a number belongs", "task: lora\nmodel: {layers: true}", "E102",
     "a whole number"),
    ("a fraction where a whole number belongs", "task: lora\nmodel: {layers: 3.5}", "E102",
     "a whole number"),
    ("a number where true or false belongs", "task: lora\ndata: {may_leave_premises: 1}", "E102",
     "write true"),
    ("a number where a text belongs", "task: lora\nnotes: 12.10", "E102",
     'put it in quotes: "12.10"'),
    ("a value that is not on the list", "task: lorra", "p.yaml:1:7: E105", "did you mean lora?"),
    ("a value in the wrong case", "task: LoRA", "E105", "Upper and lower case matter"),
    ("a number below its range", "task: lora\nmodel: {layers: 0}", "E104", "from 1 to 1000"),
    ("a percentage where a ratio belongs", "task: lora\nusage: {sustained_utilisation: 70}",
     "E104", "70 percent is 0.7"),
    ("NaN", "task: lora\ndata: {size_gb: .nan}", "p.yaml:2:17: E010", ""),
    ("infinity", "task: lora\ndata: {size_gb: .inf}", "E010", ""),
    ("the text NaN", "task: lora\ndata: {size_gb: NaN}", "E010", "leave the field out"),
    ("a number beyond all doubles", "task: lora\ndata: {size_gb: 1e999}", "E010", ""),
    ("no value", "task: lora\nmodel: {name: }", "E108", "leave the field out"),
    ("null", "task: lora\nmodel: {name: null}", "E108", "leave the field out"),
    ("an empty text", 'task: lora\nmodel: {name: ""}', "E108", ""),
    ("an empty group", "task: lora\nmodel:", "p.yaml:2:1: E108", ""),
    ("a quantity of the wrong dimension", "task: lora\ndata: {size_gb: 5 hours}", "E103",
     "“10 GB”"),
    ("bytes where bits per second belong", "task: lora\ndata: {uplink_mbit_per_s: 5 GB}", "E103",
     ""),
    ("a unit that does not exist", "task: lora\ndata: {size_gb: 5 gigs}", "E121", ""),
    ("digits with separators", 'task: lora\ndata: {size_gb: "5,000"}', "E102", "5000"),
    ("a date that is not one", "task: lora\nas_of: 30/11/2026", "E109", "2026-11-30"),
    ("the 31st of November", "task: lora\nas_of: 2026-11-31", "E109", ""),
    ("a model nobody knows", "task: lora\nmodel: {name: zzz-900}", "E106",
     "leave model.name out and state what is known: model.layers"),
    ("a misspelt model", "task: lora\nmodel: {name: lama-3.1-8b}", "E106",
     "did you mean llama-3.1-8b?"),
    ("one value where a list belongs", "task: lora\nconstraints: {gpus: l4}", "E102", "[l4]"),
    ("an unknown item in a list", "task: lora\nconstraints: {gpus: [l4, l5]}",
     "p.yaml:2:26: E106", "constraints.gpus[2]"),
    ("too many rows", "task: lora\nconstraints: {gpus: [l4, l4, l4, l4]}", "E110", "at most 3"),
    ("an unknown field in a row", "task: lora\nowned: [{gpu: l4, cuont: 1}]", "E101",
     "did you mean count?"),
    ("a wrong value in a row", "task: lora\nowned: [{gpu: l4, count: 0}]", "E104",
     "owned[1].count"),
    ("a value where a group belongs", "task: lora\nmodel: layers", "E102", "model.layers: …"),
    ("a field written in two ways", "task: lora\nmodel: {layers: 3}\nmodel.layers: 4",
     "p.yaml:3:1: E005", "line 2"),
    ("a field that stands twice", "task: lora\nmodel:\n  layers: 3\n  layers: 4",
     "p.yaml:4:3: E005", "line 3"),
    ("no task", "model: {layers: 3}", "E111", "add `task: …`"),
    ("a list instead of a profile", "- task: lora", "E014", "not a list"),
    ("a bare text", "lora", "E014", "not a text"),
    ("nothing at all", "", "E013", "init"),
    ("only comments", "# nothing here\n", "E013", ""),
    ("two documents", "task: lora\n---\ntask: lora", "p.yaml:2:1: E009", ""),
    ("an alias", "task: lora\nnotes: *a", "E006", ""),
    ("a tag", "task: !!python/object:os.system lora", "E007", ""),
    ("yes without quotes", "task: lora\ndata: {may_leave_premises: yes}", "E008", "true or false"),
    ("broken YAML", "task: [lora", "E001", "check indentation"),
    ("a control character", "task: lo\x01ra", "E001", ""),
    ("a key that is not a text", "? [a, b]\n: 1", "E011", ""),
]  # fmt: skip


@pytest.mark.parametrize(("what", "text", "code", "hint"), BAD, ids=[case[0] for case in BAD])
def test_refused(what: str, text: str, code: str, hint: str) -> None:
    said = only(text)
    assert code in said and hint in said
    assert said.startswith("p.yaml")


@pytest.mark.parametrize(("what", "text", "code", "hint"), BAD, ids=[case[0] for case in BAD])
def test_refused_in_chinese_too(what: str, text: str, code: str, hint: str) -> None:
    said = " ".join(refused(text, "zh"))
    assert code.rpartition(" ")[2] in said
    assert any("\u4e00" <= letter <= "\u9fff" for letter in said)


def test_everything_wrong_is_said_at_once_in_reading_order() -> None:
    said = refused("task: lorra\nmodel: {layer: 3, layers: 0}\ndata: {size_gb: true}")
    assert [line.split(": ")[1][:4] for line in said] == ["E105", "E101", "E104", "E102"]


def test_an_alias_bomb_is_refused_at_once() -> None:
    bomb = "a: &a [x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)},*{chr(97 + n)}]\n" for n in range(20)
    )
    assert "E006" in refused(bomb)[0]


@pytest.mark.parametrize("opening", ["[", '{"a":', "- "])
def test_deep_nesting_is_refused_at_once(opening: str) -> None:
    assert "E004" in refused(opening * 20_000)[0] or "E001" in refused(opening * 20_000)[0]


def test_a_dict_that_contains_itself_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(InputError, match="E004"):
        document_of(endless)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="E012 there is no file"):
        read_document(str(tmp_path / "nothing.yaml"))


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"E012 .* is a directory"):
        read_document(str(tmp_path))


def test_a_large_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(10_000_000)
    with pytest.raises(InputError, match="E003"):
        read_document(str(path))


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"task: lora\nnotes: caf\xe9\n")
    with pytest.raises(InputError, match=r"latin\.yaml:2:11: E002"):
        read_document(str(path))


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = tmp_path / "bom.yaml"
    path.write_bytes(b"\xef\xbb\xbftask: lora\n")
    assert admit(read_document(str(path)), FACTS, TABLES).given == {"task": "lora"}
