"""`frozen` makes what `dataclass(frozen=True, slots=True)` makes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from engine.language.frozen import begin, factory, frozen


@frozen(kw_only=True)
class Base:
    where: int = 0


@frozen
class Pair(Base):
    left: int
    right: int = 7
    names: list[str] = factory(default_factory=list)


@frozen
class Nothing(Base):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainBase:
    where: int = 0


@dataclass(frozen=True, slots=True)
class PlainPair(PlainBase):
    left: int
    right: int = 7
    names: list[str] = field(default_factory=list)


def test_fields_defaults_and_order_are_those_of_a_dataclass() -> None:
    assert [one.name for one in fields(Pair)] == [one.name for one in fields(PlainPair)]
    assert [one.kw_only for one in fields(Pair)] == [one.kw_only for one in fields(PlainPair)]
    assert Pair.__match_args__ == PlainPair.__match_args__
    assert (Pair(1).left, Pair(1).right, Pair(1, where=3).where) == (1, 7, 3)


def test_default_factories_are_called_for_each_record() -> None:
    assert Pair(1).names == [] and Pair(1).names is not Pair(1).names


def test_wrong_arguments_are_refused_also_by_the_first_call() -> None:
    @frozen
    class Fresh(Base):
        left: int

    wrong: list[tuple[tuple[int, ...], dict[str, int]]] = [
        ((), {}), ((1, 2), {}), ((1,), {"left": 2}), ((1,), {"other": 2}),
    ]  # fmt: skip
    for values, named in wrong * 2:
        with pytest.raises(TypeError):
            Fresh(*values, **named)
    assert (Fresh(1).left, Fresh(left=2, where=3).where) == (1, 3)


def test_records_are_equal_by_class_and_value() -> None:
    assert Pair(1, 2) == Pair(1, 2) != Pair(1, 2, where=1)
    assert Nothing() == Nothing() and Nothing() != Base()
    assert hash(Nothing(where=2)) == hash(Nothing(where=2))


def test_records_cannot_be_changed_and_take_no_other_attribute() -> None:
    record = Pair(1)
    for name in ("left", "other"):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, 5)
    with pytest.raises(FrozenInstanceError):
        del record.left
    assert not hasattr(record, "__dict__")


def test_replace_copy_and_pickle_work() -> None:
    record = Pair(1, 2, ["a"], where=3)
    assert replace(record, left=9) == Pair(9, 2, ["a"], where=3)
    assert copy.deepcopy(record) == record
    assert pickle.loads(pickle.dumps(record)) == record


def test_matching_binds_positional_fields() -> None:
    match Pair(1, 2):
        case Pair(left, right):
            assert (left, right) == (1, 2)
        case _:
            pytest.fail("no match")


def test_a_record_shows_its_fields() -> None:
    assert repr(Pair(1)) == "Pair(where=0, left=1, right=7, names=[])"


@frozen(in_parts=True)
class Parted:
    id: str
    words: str = "none"


def test_a_record_in_parts_is_filled_once_when_a_field_is_first_read() -> None:
    filled = []

    def rest(record: Parted, name: str) -> None:
        filled.append(name)
        object.__setattr__(record, "words", "many")

    record = begin(Parted, rest)
    object.__setattr__(record, "id", "one")
    assert record.id == "one" and filled == []
    assert record == Parted("one", "many") and hash(record) == hash(Parted("one", "many"))
    assert record.words == "many" and filled == ["words"]
    with pytest.raises(AttributeError):
        record.other  # type: ignore[attr-defined] # noqa: B018
    assert pickle.loads(pickle.dumps(Parted("one"))) == Parted("one") == copy.copy(Parted("one"))
