"""Render the front page of a report, which answers a privacy officer's questions on one sheet of A4: who prepared the
table, for what and whom, which columns it has, which attacker is assumed, what is required and achieved, what remains,
how that was verified, and until when it is valid."""

import re
from collections.abc import Callable, Iterator, Sequence

from acompass.author.answers import ClauseCheck, RuleCheck
from acompass.errors.catalog import LIMITS_TITLE, read_limits
from acompass.errors.display import count_text
from acompass.measure.answer import Measures
from acompass.report.answers.measures import persons
from acompass.report.answers.results import note_text
from acompass.report.html import Html, about, badge, section, table, tag
from acompass.report.page.content import ROLE_ORDER, ColumnRow, PageContent, RequirementRow, Threshold
from acompass.report.page.measures import percent

#: a label and its answer
_Answer = tuple[str, Sequence[str]]


def front_section(content: PageContent) -> Html:
    rows = [tag("div", tag("dt", label), tag("dd", *said)) for label, said in _answers(content) if said]
    return section("At a glance", "front", tag("dl", *rows, class_="front"))


def _answers(content: PageContent) -> Iterator[_Answer]:
    settings = content.front.settings
    yield "Prepared by", [_or_blank(settings.prepared_by)]
    yield "Purpose", [_or_blank(settings.purpose)]
    yield "For", [_or_blank(settings.recipients)]
    yield "Columns", list(_columns(content))
    yield "Attacker assumed", list(_attacker(content))
    yield "Required", list(_required(content))
    yield "Achieved", list(_achieved(content))
    yield "What remains", list(_remains(content))
    yield "How verified", list(_verified(content))
    yield "Valid until", [_or_blank(None if settings.valid_until is None else settings.valid_until.isoformat())]


def _or_blank(text: str | None) -> str:
    """The text, or a line to fill in by hand."""
    return tag("span", class_="blank", role="img", aria_label="to be filled in") if text is None else text


def _columns(content: PageContent) -> Iterator[Html]:
    """One row for all columns with the same role and the same fate, so that a wide table fits on the page."""
    columns = content.front.columns
    rows = [row for role in ROLE_ORDER for row in _role_rows(role, [each for each in columns if each.role == role])]
    if rows:
        fate = ("in the released table",) if any(each.fate for each in columns) else ()
        yield table("Columns by role", ("role", "columns", *fate), rows, class_="fates")
    if rows and not content.front.roles.are_given and content.command != "measure":
        user = "policy" if content.rule is None else "rule"
        yield _remark(f"No roles are declared; these follow from how the {user} uses the columns.")
    person = content.front.roles.person
    if person is not None:
        split = "" if content.front.person is not None else " in the original table; the policy changes its values"
        yield _remark("The column ", tag("code", person), f" tells persons apart{split}.")


def _role_rows(role: str | None, columns: Sequence[ColumnRow]) -> Iterator[Html]:
    found: dict[str, list[ColumnRow]] = {}
    for each in columns:
        found.setdefault(each.fate, []).append(each)
    words = badge("no role", "bad") if role is None else role
    header = tag("th", words, scope="row", rowspan=len(found))
    for place, (fate, alike) in enumerate(found.items()):
        cells = [_names([each.name for each in alike]), *([_fate(alike[0])] if fate else [])]
        yield tag("tr", *([] if place else [header]), *(tag("td", cell) for cell in cells))


def _fate(column: ColumnRow) -> str:
    """A column without a role that is released as it was may identify someone."""
    is_open = column.is_unchanged and column.role in (None, "identifier")
    return tag("strong", column.fate) if is_open else column.fate


def _names(names: Sequence[str]) -> Html:
    return tag("span", *(part for name in names for part in (tag("code", name), " ")), class_="names")


def _attacker(content: PageContent) -> Iterator[str]:
    names = _quasi_identifiers(content)
    if not names:
        yield "None: no quasi-identifiers are declared, and the policy has no GROUP BY."
        return
    yield "Someone who knows "
    yield _names(names)
    yield "of one person, knows that this person is in the table, and looks for the person’s record. "
    yield _remark("Not assumed: an attacker who knows other columns, several persons, or another release.")


def _quasi_identifiers(content: PageContent) -> tuple[str, ...]:
    """The columns that the page's measures are about, or else those that are declared."""
    if content.measures:
        return content.measures[-1].quasi_identifiers
    return tuple(each.name for each in content.front.columns if each.role == "quasi-identifier")


def _required(content: PageContent) -> Iterator[str]:
    bounds = content.front.thresholds
    if content.rule is not None:
        yield from _required_by_rule(content.rule)
    elif bounds:
        yield tag("ul", *(tag("li", *_threshold(each, content)) for each in bounds))
    else:
        yield badge("nothing", "open")
        yield " No requirement sets a least class size (k) or a least number of values in a class (l)."


#: more clauses than this would not leave the front page on one sheet
_MOST_CLAUSES = 6


def _required_by_rule(check: RuleCheck) -> Iterator[str]:
    if len(check.clauses) > _MOST_CLAUSES:
        yield f"{count_text(len(check.clauses), 'clause')} of {check.title}: "
        yield tag("a", "The rule", href="#rule")
    else:
        yield tag("ul", *(tag("li", f"{each.title} (clause {each.name})") for each in check.clauses))


def _threshold(bound: Threshold, content: PageContent) -> Iterator[str]:
    person = content.front.person
    if bound.counted is None:
        symbol, counted = "k", count_text(bound.least, "record")
    elif person is not None and bound.counted.casefold() == person.casefold():
        symbol, counted = "k", count_text(bound.least, "person")
    else:
        symbol, counted = "l", f"{count_text(bound.least, 'different value')} of {bound.counted} in records"
    same = sorted(map(str.casefold, bound.columns)) == sorted(map(str.casefold, _quasi_identifiers(content)))
    by = "these columns" if same else ", ".join(bound.columns)
    where = f"with equal values in {by}" if bound.columns else "in the table"
    yield tag("strong", f"{symbol} ≥ {bound.least:,}") if bound.columns else tag("strong", f"≥ {bound.least:,}")
    yield f": at least {counted} {where}{', among the records that WHERE selects' if bound.is_partial else ''} "
    yield f"(line {bound.line})"


def _achieved(content: PageContent) -> Iterator[str]:
    found = content.achieved
    if found is None:
        yield badge("not measured", "open")
        yield _why_not_measured(content)
        return
    if found.k is None:
        yield "The table has no records."
        return
    yield tag("strong", f"k = {persons(found.k)}")
    noun = found.noun.removesuffix("s")
    yield f" {noun if found.k == 1 else found.noun} in the smallest class, "
    yield tag("strong", percent(found.classes.prosecutor_maximum))
    yield f" highest risk that the attacker finds the right {noun}"
    yield from _diversity(found)
    which = "the released" if content.command == "run" else "this"
    yield f". Measured on {which} table."
    person = content.front.roles.person
    if person is not None and found.people is None:
        why = f"{which} table does not have" if content.front.person is not None else "the policy changes values of"
        yield f" Counted in records, because {why} column "
        yield tag("code", person)
        yield ", which tells persons apart: a class can have fewer persons than records, and the risk can be higher."


def _why_not_measured(content: PageContent) -> str:
    if content.command == "run" and content.certificate.output is None and not content.certificate.tables:
        return " No table was written to a file."
    if not _quasi_identifiers(content):
        return " Without quasi-identifiers there are no classes to measure."
    return " A report does not read tables of a database."


def _diversity(found: Measures) -> Iterator[str]:
    for each in found.sensitive:
        yield "; "
        yield tag("strong", f"l = {each.distinct_l:,}")
        yield f" (fewest different values of {each.column} in a class)"


def _remains(content: PageContent) -> Iterator[str]:
    items = list(_open_points(content))
    yield tag("ul", *(tag("li", *said) for said in items))


def _open_points(content: PageContent) -> Iterator[Sequence[str]]:
    columns = [each for each in content.front.columns if not each.is_dropped]
    known = {name.casefold() for name in _quasi_identifiers(content)}
    others = [each.name for each in columns if each.name.casefold() not in known]
    kept = [each.name for each in columns if each.is_unchanged]
    if kept:
        yield "Released as they were: " if len(kept) > 1 else "Released as it was: ", _names(kept)
    if others and known:
        yield "Whoever knows values of ", _names(others), "can tell the records of a class apart."
    if known and content.rule is None:
        yield from _open_values(content)
    result = content.result
    if result is not None and content.has_counts and result.notes:
        yield (f"{count_text(len(result.notes), 'note')}: ", "; ".join(map(note_text, result.notes)))
    if content.rule is not None and content.rule.leaves_out:
        yield "What the rule leaves to judgment: ", tag("a", "The rule", href="#rule")
    yield "Attacks that no requirement covers: ", tag("a", LIMITS_TITLE, href="#limits")


def _open_values(content: PageContent) -> Iterator[Sequence[str]]:
    """Sensitive columns without a requirement on their values in classes by all quasi-identifiers; if none are
    declared, any column."""
    person = (content.front.roles.person or "").casefold()
    known = {name.casefold() for name in _quasi_identifiers(content)}
    bounds = [
        each
        for each in content.front.thresholds
        if each.least > 1 and not each.is_partial and known <= {name.casefold() for name in each.columns}
    ]
    limited = {each.counted.casefold() for each in bounds if each.counted is not None} - {person}
    sensitive = [each.name for each in content.front.columns if each.role == "sensitive" and not each.is_dropped]
    free = [name for name in sensitive if name.casefold() not in limited]
    reveals = "if all records of a class share a value, the attacker learns it."
    if free:
        yield "No requirement on the values of ", _names(free), f"in a class: {reveals}"
    elif not limited:
        yield (f"No requirement on the values in a class: {reveals}",)


#: how the requirements of a check and of a run were verified: words, tone, and which requirements these are about
_Verification = tuple[str, str, Callable[[RequirementRow], bool]]
_CHECKED: tuple[_Verification, ...] = (
    ("satisfied by this table", "good", lambda each: each.outcome.holds is True),
    ("violated by this table", "bad", lambda each: each.outcome.holds is False),
    ("without a verdict", "open", lambda each: each.outcome.holds is None),
)
_VERIFIED: tuple[_Verification, ...] = (
    ("proved for every table", "good", lambda each: each.assurance == "proved"),
    ("checked on the released table", "good", lambda each: each.assurance == "holds"),
    ("violated by the released table", "bad", lambda each: each.assurance == "violated"),
    (
        "not verified on the released table",
        "open",
        lambda each: each.assurance is None and each.outcome.holds is not None,
    ),
    ("asserting nothing", "none", lambda each: each.assurance is None and each.outcome.holds is None),
)


#: the same for the clauses of a rule
_CLAUSES: tuple[tuple[str, str, Callable[[ClauseCheck], bool]], ...] = (
    ("satisfied by this table", "good", lambda each: each.holds and each.is_checked),
    ("violated by this table", "bad", lambda each: not each.holds),
    ("not checked: no column recognized", "open", lambda each: not each.is_checked),
)


def _verified(content: PageContent) -> Iterator[str]:
    if content.result is not None:
        rows = [each for each in content.requirements if each.is_first_step]
        found = _CHECKED if content.command == "check" else _VERIFIED
        lines = [(words, tone, [each.outcome.line for each in rows if belongs(each)]) for words, tone, belongs in found]
        yield tag("ul", *(_verified_item(*each) for each in lines if each[-1]))
    if content.rule is not None:
        clauses = [(words, tone, list(filter(belongs, content.rule.clauses))) for words, tone, belongs in _CLAUSES]
        yield tag("ul", *(_clauses_item(*each) for each in clauses if each[-1]))
    made = "Measured" if content.result is None and content.rule is None else "Evaluated"
    versions = content.certificate.versions
    yield _remark(f"{made} by acompass {versions['acompass']} on {versions['engine']}.")


def _clauses_item(words: str, tone: str, clauses: Sequence[ClauseCheck]) -> Html:
    names = ", ".join(each.name for each in clauses)
    return tag("li", badge(f"{count_text(len(clauses), 'clause')} {words}", tone), f" ({names})")


def _verified_item(words: str, tone: str, lines: Sequence[int]) -> Html:
    number = count_text(len(lines), "requirement")
    return tag(
        "li", badge(f"{number} {words}", tone), f" (line{'' if len(lines) == 1 else 's'} {', '.join(map(str, lines))})"
    )


def _remark(*content: str) -> Html:
    return tag("p", *content, class_="note")


def limits_section() -> Html:
    """The attacks of the page *What anonymity does not cover*, each with its first sentence."""
    introduction = about(
        "Each of these can identify someone in a table that satisfies its policy. ",
        tag("code", "acompass explain limits"),
        " prints the page with examples, and what helps.",
    )
    items = [tag("li", tag("strong", f"{name}."), " ", *_inline(sentence)) for name, sentence in attacks()]
    return section(LIMITS_TITLE, "limits", introduction, tag("ul", *items, class_="limits"))


_ATTACK = re.compile(r"^## (.+)\n\n(.+(?:\n.+)*)", re.MULTILINE)
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def attacks() -> Iterator[tuple[str, str]]:
    for name, paragraph in _ATTACK.findall(read_limits()):
        text = _LINK.sub(r"\1", " ".join(paragraph.split()))
        yield name, re.split(r"(?<=[.]) ", text, maxsplit=1)[0]


def _inline(text: str) -> Iterator[str]:
    for place, part in enumerate(text.split("`")):
        yield tag("code", part) if place % 2 else part
