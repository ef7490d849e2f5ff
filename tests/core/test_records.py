"""Records against the standard library's dataclasses: the same class body, made both ways."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import pytest
from pydantic import TypeAdapter, ValidationError

from nocturne.core import records

Decorator = Callable[..., Any]


def classes(dataclass: Decorator, field: Decorator) -> dict[str, Any]:
    """One body of every kind that the product has."""

    @dataclass(frozen=True, slots=True)
    class Plain:
        """Some of it has a default."""

        first: int
        second: str = "two"
        third: tuple[int, ...] = ()
        kinds: ClassVar[int] = 3

        @property
        def both(self) -> str:
            return f"{self.first} {self.second}"

    @dataclass(frozen=True, slots=True)
    class Made:
        table: dict[str, int] = field(default_factory=dict)
        words: list[str] = field(default_factory=lambda: ["a"], repr=False, compare=False)
        inner: Plain = Plain(7)

    @dataclass(slots=True)
    class Loose:
        one: int = 1
        many: list[int] = field(default_factory=list)

    @dataclass(frozen=True, eq=False)
    class Same:
        data: int = field(repr=False)

        @cached_property
        def twice(self) -> int:
            return 2 * self.data

    @dataclass(frozen=True)
    class Open:
        name: str
        size: int = field(default=4)

        @cached_property
        def shout(self) -> str:
            return self.name.upper()

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(frozen=True, slots=True)
    class One:
        only: float

    return {name: kind for name, kind in locals().items() if isinstance(kind, type)}


OURS = classes(records.dataclass, records.field)
THEIRS = classes(dataclasses.dataclass, dataclasses.field)

MADE: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("Plain", (1,), {}),
    ("Plain", (1, "x"), {"third": (1, 2)}),
    ("Plain", (), {"first": 2}),
    ("Made", (), {}),
    ("Made", ({"a": 1}, ["b"]), {}),
    ("Loose", (), {}),
    ("Loose", (2, [3]), {}),
    ("Same", (4,), {}),
    ("Open", ("n",), {}),
    ("Empty", (), {}),
    ("One", (float("nan"),), {}),
)


@pytest.mark.parametrize(("name", "args", "kwargs"), MADE)
def test_a_record_holds_and_shows_what_a_dataclass_does(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    ours, theirs = OURS[name](*args, **kwargs), THEIRS[name](*args, **kwargs)
    assert repr(ours) == repr(theirs)
    assert repr(dataclasses.asdict(ours)) == repr(dataclasses.asdict(theirs))
    assert [each.name for each in dataclasses.fields(ours)] == [
        each.name for each in dataclasses.fields(theirs)
    ]
    assert dataclasses.is_dataclass(ours)
    assert OURS[name].__match_args__ == THEIRS[name].__match_args__
    assert getattr(OURS[name], "__slots__", None) == getattr(THEIRS[name], "__slots__", None)
    assert hasattr(ours, "__dict__") == hasattr(theirs, "__dict__")


@pytest.mark.parametrize(("name", "args", "kwargs"), MADE)
def test_equality_and_hash_are_a_dataclass_s(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    for kind in (OURS[name], THEIRS[name]):
        one, same = kind(*args, **kwargs), kind(*args, **kwargs)
        assert (one == same) == (name != "Same")
        assert one != object()
    ours, theirs = OURS[name](*args, **kwargs), THEIRS[name](*args, **kwargs)
    assert ours != theirs
    assert (OURS[name].__hash__ is None) == (THEIRS[name].__hash__ is None)
    if name in ("Plain", "Open", "Empty", "One"):
        assert hash(ours) == hash(theirs)


def test_what_is_not_compared_is_not_compared() -> None:
    assert OURS["Made"]({}, ["x"]) == OURS["Made"]({}, ["y"])


@pytest.mark.parametrize("name", ["Plain", "Made", "Same", "Open", "Empty", "One"])
def test_a_frozen_record_stays_as_it_is(name: str) -> None:
    record = OURS[name](*([1] if name in ("Plain", "Same", "Open", "One") else []))
    told = next(iter(OURS[name].__match_args__), "any")
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{told}'"):
        setattr(record, told, 5)
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot delete field '{told}'"):
        delattr(record, told)


def test_a_loose_record_may_change() -> None:
    record = OURS["Loose"]()
    record.one = 5
    assert record == OURS["Loose"](5)
    assert OURS["Loose"]().many is not record.many
    with pytest.raises(AttributeError):
        record.other = 1


def test_what_is_reckoned_once_is_kept() -> None:
    assert OURS["Same"](2).twice == 4
    assert OURS["Open"]("n").shout == "N"


@pytest.mark.parametrize("args", [(), (1, 2, 3, 4)])
def test_a_wrong_call_is_told_as_a_dataclass_tells_it(args: tuple[int, ...]) -> None:
    said = []
    for kind in (OURS["Plain"], THEIRS["Plain"]):
        with pytest.raises(TypeError) as caught:
            kind(*args)
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("swap", [records.replace, dataclasses.replace])
def test_replacing_works_on_both_kinds(swap: Decorator) -> None:
    for kinds in (OURS, THEIRS):
        assert swap(kinds["Plain"](1), second="x") == kinds["Plain"](1, "x")
        with pytest.raises(TypeError):
            swap(kinds["Plain"](1), fourth=1)


def test_records_are_copied_and_matched() -> None:
    record = OURS["Plain"](1, "x", (2,))
    assert copy.deepcopy(record) == copy.copy(record) == record
    kind = OURS["Plain"]
    match record:
        case kind(first, second):
            assert (first, second) == (1, "x")


def test_records_are_pickled() -> None:
    from nocturne.core.facts import Fact, Span

    fact = Fact(1, "Dana lives in Porto.", "human", "identity", 5, sources=(Span(1, 0, 4),))
    assert pickle.loads(pickle.dumps(fact)) == fact


def test_a_record_may_be_called_first_by_many() -> None:
    kind = classes(records.dataclass, records.field)["Plain"]
    one, two = kind.__new__(kind), kind.__new__(kind)
    stub = kind.__init__
    stub(one, 1)
    stub(two, 1)
    assert one == two


def test_pydantic_reads_a_record() -> None:
    kind = OURS["Plain"]
    assert TypeAdapter(kind).validate_python({"first": "3"}) == kind(3)
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python({"first": "three"})
    assert list(inspect.signature(kind).parameters) == ["first", "second", "third"]


def test_what_a_record_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="standard library"):

        @records.dataclass(frozen=True, slots=True)
        class Child(OURS["Plain"]):  # type: ignore[misc,name-defined]  # made above
            more: int = 0

    with pytest.raises(TypeError, match="standard library"):

        @records.dataclass(slots=True)
        class Late:
            more: int = 0

            def __post_init__(self) -> None:
                self.more = 1


def test_what_the_class_says_itself_is_kept() -> None:
    @records.dataclass(frozen=True)
    class Own:
        value: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 5

        def __repr__(self) -> str:
            return "own"

    assert Own(1) == Own(2)
    assert (hash(Own(1)), repr(Own(1))) == (5, "own")


def test_records_load_no_inspection() -> None:
    code = (
        "import sys\nimport nocturne.core.facts as facts\nfacts.Span(1, 2, 3)\n"
        "print([name for name in ('dataclasses', 'inspect') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
