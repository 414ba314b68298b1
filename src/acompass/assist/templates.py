"""Propose requirements that fit the roles of a table's columns."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

from acompass.dataclasses import dataclass
from acompass.language.program.types import Kind, Schema
from acompass.language.text import tree
from acompass.language.text.formatter import format_requirement
from acompass.language.text.tree import Function, Operator, Quantifier
from acompass.measure.answer import ColumnFacts, Form, count_noun
from acompass.policy import TableRoles

_COUNT = tree.Aggregate(Function.COUNT)
_STAR = tree.String("*")
_WIDTH = tree.Number(Decimal(10))
_KEPT = tree.Number(Decimal(3))
_LEFT_OUT = tree.Number(Decimal("0.75"))
_DRAWN = tree.Number(Decimal("0.5"))
_DAYS = tree.Number(Decimal(30))
#: the (2, 67) dominance rule
_CONTRIBUTORS, _DOMINANCE = tree.Number(Decimal(2)), tree.Number(Decimal("0.67"))
_POPULATION = tree.Aggregate(Function.COUNT, file=tree.String("population.csv"))
_MAP = "Drops classes with fewer than k people in a file of the population. Replace `population.csv` with its name."
#: the maximum number of values to draw from
_MOST_VALUES = 10


@dataclass(frozen=True, slots=True)
class Template:
    key: str
    title: str
    text: str  # a formatted requirement
    why: str


def templates(
    roles: TableRoles,
    schema: Schema | None = None,
    taken: Collection[str] = (),
    facts: Mapping[str, ColumnFacts] | None = None,
) -> tuple[Template, ...]:
    """Propose requirements. The types in `schema` or `facts` decide how to generalize a column.

    New parameters get names that are not in `taken`, except `k` and `l`, which requirements share.
    """
    forms = column_forms(schema or (), facts or {})
    return (
        *_identifier_templates(roles.identifiers, roles.person),
        *_shift_templates(roles, forms),
        *_column_templates(roles.quasi_identifiers, forms, taken),
        *_class_templates(roles, forms),
        *_random_templates(roles, forms, facts or {}),
    )


def column_forms(schema: Schema, facts: Mapping[str, ColumnFacts]) -> dict[str, Form]:
    """Which columns contain numbers, dates, codes or text, as far as that is known."""
    known: dict[str, Form] = {column.name: _form(column.type.kind) for column in schema}
    return known | {name: fact.form for name, fact in facts.items()}


def _form(kind: Kind) -> Form:
    if kind in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT):
        return "number"
    return "date" if kind in (Kind.DATE, Kind.TIMESTAMP) else "text"


def _identifier_templates(names: Sequence[str], person: str | None) -> Iterator[Template]:
    # the lines that count persons come later and need their column
    needless = tuple(name for name in names if name != person)
    if needless:
        listed = ", ".join(f"`{name}`" for name in needless)
        dropped = _always(tree.Drop(tuple(map(tree.Name, needless))))
        yield Template("drop-identifiers", f"Drop {listed}", dropped, "Identifiers identify a person directly.")
    for name in names:
        suppressed = _always(tree.Replace(tree.Name(name), _STAR))
        why = "Keeps the column and removes its values."
        yield Template(f"suppress:{name}", f"Suppress `{name}`", suppressed, why)
        why = "The same value gets the same text in every table with the same key. Not anonymous: classes still need k."
        pseudonym = _always(tree.Pseudonym(tree.Name(name)))
        yield Template(f"pseudonym:{name}", f"Pseudonyms for `{name}`", pseudonym, why)


def _shift_templates(roles: TableRoles, forms: Mapping[str, Form]) -> Iterator[Template]:
    dates = tuple(name for name in (*roles.quasi_identifiers, *roles.sensitive) if forms.get(name) == "date")
    persons = roles.identifiers if roles.person is None else (roles.person,)
    for person in persons if dates else ():
        shift = tree.Shift(tuple(map(tree.Name, dates)), tree.Name(person), _DAYS)
        why = "Keeps the number of days between the dates of one person. Must come before a line that drops the person."
        yield Template(f"shift:{person}", f"Shift the dates of each `{person}`", _always(shift), why)


def _column_templates(names: Sequence[str], forms: Mapping[str, Form], taken: Collection[str]) -> Iterator[Template]:
    for name in names:
        match forms.get(name):
            case "number":
                why = "Numbers in the same band become indistinguishable."
                yield _generalization(name, "bands", f"`{name}` in bands", tree.BandsOf(_WIDTH), why)
                yield _top_coding(name, taken)
            case "code":
                why = "Keeps the first characters, such as those of the region."
                yield _generalization(name, "prefix", f"`{name}` by its prefix", tree.PrefixOf(_KEPT), why)
            case "date":
                why = "An exact day often identifies a person; a month rarely does."
                map_ = tree.DatePart(tree.DateUnit.MONTH)
                yield _generalization(name, "month", f"`{name}` by month", map_, why)
            case "text" | None:
                pass


def _generalization(name: str, key: str, title: str, map_: tree.Map, why: str) -> Template:
    return Template(f"{key}:{name}", title, _always(tree.Generalize(tree.Name(name), map_)), why)


def _top_coding(name: str, taken: Collection[str]) -> Template:
    most = tree.Parameter(_fresh_name("most", taken))
    condition = tree.Comparison(tree.Name(name), Operator.LE, most)
    assertion = tree.Assertion(Quantifier.EACH, tree.Result(), condition)
    text = format_requirement(tree.Requirement(assertion, tree.Replace(tree.Name(name), most)))
    return Template(f"top:{name}", f"Top-code `{name}`", text, "The largest numbers belong to few people.")


def _class_templates(roles: TableRoles, forms: Mapping[str, Form]) -> Iterator[Template]:
    groups = roles.quasi_identifiers
    if not groups:
        return
    person = None if roles.person in groups else roles.person
    members = _COUNT if person is None else tree.Aggregate(Function.COUNT_DISTINCT, tree.Name(person))
    fewer = f"fewer than k {count_noun(person is not None)}"
    checks = f"Changes nothing; no table is written if a class has {fewer}."
    drops = f"Drops the records of classes with {fewer}."
    yield Template("k-anonymity", "k-anonymity", _classes(groups, members, "n", "k", tree.Reject()), drops)
    for name in roles.sensitive:
        distinct = tree.Aggregate(Function.COUNT_DISTINCT, tree.Name(name))
        text = _classes(groups, distinct, "d", "l", tree.Reject())
        why = f"Drops the records of classes in which `{name}` has fewer than l values."
        yield Template(f"l-diversity:{name}", f"l-diversity of `{name}`", text, why)
        yield _share_template(name, groups, forms)
    yield Template(
        "k-map", "k-map with a population file", _classes(groups, _POPULATION, "p", "k", tree.Reject()), _MAP
    )
    yield Template("check-k", "Check the smallest class", _classes(groups, members, "n", "k", None), checks)


def _share_template(name: str, groups: Sequence[str], forms: Mapping[str, Form]) -> Template:
    if forms.get(name) == "number":
        largest = tree.Aggregate(Function.SHARE_OF_LARGEST, tree.Name(name), largest=_CONTRIBUTORS)
        text = _requirement(groups, largest, "s", Operator.LE, _DOMINANCE, tree.Reject())
        why = f"Drops classes in which two records have more than 67 % of the total of `{name}`."
        return Template(f"dominance:{name}", f"Dominance rule for `{name}`", text, why)
    mode = tree.Aggregate(Function.SHARE_OF_MODE, tree.Name(name))
    text = _requirement(groups, mode, "a", Operator.LE, _DRAWN, tree.Reject())
    why = f"Drops classes in which more than half of the records have the same `{name}`."
    return Template(f"mode:{name}", f"Limit on the most frequent `{name}`", text, why)


def _random_templates(
    roles: TableRoles, forms: Mapping[str, Form], facts: Mapping[str, ColumnFacts]
) -> Iterator[Template]:
    if roles.quasi_identifiers or roles.sensitive:
        sampled = _always(tree.Sometimes(_LEFT_OUT, tree.Reject()))
        why = "Keeps a random quarter of the records, so that a person's presence in the table stays uncertain."
        yield Template("sample", "Sample of the records", sampled, why)
    for name in roles.sensitive:
        if forms.get(name) == "number":
            why = "Each number becomes the mean of at least 3 similar ones."
            text = _always(tree.Microaggregate(tree.Name(name), _KEPT))
            yield Template(f"means:{name}", f"Microaggregate `{name}`", text, why)
        values = _values(facts.get(name))
        if forms.get(name) in ("text", "code", None) and len(values) > 1:
            draw = tree.Draw(tree.Name(name), tuple(tree.WeightedValue(tree.String(value)) for value in values))
            why = "Any value may be random. List every value that the column can have."
            title = f"Randomized response for `{name}`"
            yield Template(f"response:{name}", title, _always(tree.Sometimes(_DRAWN, draw)), why)


def _values(facts: ColumnFacts | None) -> tuple[str, ...]:
    """The frequent values of a column, or an example if none are known."""
    if facts is None or facts.distribution is None:
        return ("yes", "no")
    labels = (bar.label for bar in facts.distribution.bars if bar.label != "missing")
    return tuple(labels)[:_MOST_VALUES]


def _classes(
    groups: Sequence[str], aggregate: tree.Aggregate, alias: str, least: str, action: tree.Action | None
) -> str:
    """The requirement that the aggregate is at least a parameter in each class."""
    return _requirement(groups, aggregate, alias, Operator.GE, tree.Parameter(least), action)


def _requirement(
    groups: Sequence[str],
    aggregate: tree.Aggregate,
    alias: str,
    operator: Operator,
    limit: tree.Constant,
    action: tree.Action | None,
) -> str:
    name = tree.Name(_fresh_name(alias, groups))
    process = tree.Process(aggregate, name, None, tuple(map(tree.Name, groups)))
    condition = tree.Comparison(name, operator, limit)
    return format_requirement(tree.Requirement(tree.Assertion(Quantifier.EACH, process, condition), action))


def _always(action: tree.Action) -> str:
    return format_requirement(tree.Requirement(tree.Always(), action))


def _fresh_name(name: str, taken: Collection[str]) -> str:
    """The name, with underscores added until it differs from all others."""
    others = {other.casefold() for other in taken}
    while name in others:
        name += "_"
    return name
