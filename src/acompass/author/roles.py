"""Propose a role for each column of a table, with the reason in words. Nothing here assigns a role.

Names and values are compared with the identifiers of HIPAA's Safe Harbor rule, then names with words that are usual in
tables about persons, then values alone are judged. No reason contains a value."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Literal, TypeAlias

from acompass.author.rules.library import Rule, all_rules
from acompass.author.rules.likeness import name_words
from acompass.author.rules.matching import Samples, match_columns
from acompass.dataclasses import dataclass, field
from acompass.errors.display import count_text
from acompass.language.program.types import looks_like_persons
from acompass.measure.answer import SMALLEST, ColumnFacts
from acompass.policy import TableRoles

Role: TypeAlias = Literal["identifier", "quasi-identifier", "sensitive", "other"]


@dataclass(frozen=True, slots=True)
class RoleProposal:
    column: str
    role: Role
    reason: str
    is_guess: bool  # nothing but the user's knowledge decides it


@dataclass(frozen=True, slots=True)
class PersonProposal:
    """The column that tells persons apart (D35, persons)."""

    column: str
    reason: str


@dataclass(frozen=True, slots=True)
class RoleProposals:
    roles: tuple[RoleProposal, ...]  # one for each column, in their order
    person: PersonProposal | None


def propose_roles(
    names: Sequence[str], facts: Mapping[str, ColumnFacts], samples: Samples, records: int
) -> RoleProposals:
    """`facts` and `samples` may lack columns, whose values are then unknown; `samples` are some values as text."""
    plain = _without_common_start(names)
    known = _match_safe_harbor(plain, {short: samples.get(name, ()) for name, short in zip(names, plain, strict=True)})
    columns = [
        _Column(name, short, facts.get(name), samples.get(name, ()), records, known.get(short))
        for name, short in zip(names, plain, strict=True)
    ]
    proposals = tuple(_propose_like_identifiers(columns, tuple(map(_propose, columns))))
    identifying = [column for column, each in zip(columns, proposals, strict=True) if each.role == "identifier"]
    return RoleProposals(proposals, _propose_person(identifying))


#: a shorter table says little by its values
_FEW_RECORDS = 20


@dataclass(frozen=True)
class _Column:
    name: str
    short: str  # the name without what all names begin with
    facts: ColumnFacts | None
    texts: Sequence[str]
    records: int
    known: "_Identifier | None"  # one of HIPAA's identifiers
    words: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        words = (_singular(word) for word in name_words(self.short))
        object.__setattr__(self, "words", tuple(words))

    @property
    def present(self) -> int:
        return self.records - self.facts.missing if self.facts is not None else 0

    @property
    def distinct(self) -> int:
        return self.facts.distinct if self.facts is not None else 0

    @property
    def values(self) -> str:
        """What is known about the number of values, to end a reason with."""
        return "" if self.facts is None else f"; {count_text(self.distinct, 'value')}"

    @property
    def has_many_values(self) -> bool:
        """Whether the values may tell persons apart; True if that is not known."""
        few = min(max(_FEW_VALUES, self.present * _FEW_OF_RECORDS), self.present / _OF_ONE_VALUE)
        return self.facts is None or self.distinct > few

    @property
    def are_distinct(self) -> bool:
        return self.present >= _FEW_RECORDS and self.distinct == self.present

    @property
    def are_whole(self) -> bool:
        return bool(self.texts) and all(map(_WHOLE.fullmatch, self.texts))

    @property
    def is_free_text(self) -> bool:
        if self.facts is None or self.facts.form != "text" or not self.texts:
            return False
        return sum(map(len, self.texts)) > _LONG_TEXT * len(self.texts) and self.distinct > self.present / 2


_WHOLE = re.compile(r"[0-9]+(\.0+)?")
_FEW_VALUES = 20
_FEW_OF_RECORDS = 0.001
_OF_ONE_VALUE = 10
#: characters of a text that is more than a name or a category
_LONG_TEXT = 40


def _propose(column: _Column) -> RoleProposal:
    return next(found for rule in _RULES if (found := rule(column)) is not None)


def _by_constant(column: _Column) -> RoleProposal | None:
    if column.facts is None or column.distinct > 1 or column.records < _FEW_RECORDS:
        return None
    what = "no record has a value" if column.distinct == 0 else "every record has the same value"
    return RoleProposal(column.name, "other", what, False)


def _by_safe_harbor(column: _Column) -> RoleProposal | None:
    known = column.known
    if known is None:
        return None
    if known.role == "identifier" and not (
        known.by_values or column.has_many_values or looks_like_persons(column.name)
    ):
        return None  # such as the few plans of an insurer
    how = "by its values" if known.by_values else "by its name"
    return RoleProposal(column.name, known.role, f"HIPAA {known.item}: {known.meaning}, {how}{column.values}", False)


def _by_weight(column: _Column) -> RoleProposal | None:
    name = "".join(column.words)
    if not (_WEIGHT.fullmatch(name) or (_WEIGHTS & set(column.words) and _SURVEY & set(column.words))):
        return None
    reason = f"a sampling weight, by its name{column.values}; an unusual weight can tell a record apart"
    return RoleProposal(column.name, "other", reason, True)


_WEIGHT = re.compile("fnlwgt|p?weight|w|wt|wgt|pwgt|hhwgt")
_WEIGHTS = frozenset(("weight", "wgt", "wt"))
_SURVEY = frozenset(("sampling", "sample", "survey", "household", "design", "final", "person", "hh", "replicate"))


def _by_person_word(column: _Column) -> RoleProposal | None:
    if not looks_like_persons(column.short) or not column.has_many_values:
        return None
    return RoleProposal(column.name, "identifier", f"its name says that it identifies persons{column.values}", False)


def _by_word(column: _Column) -> RoleProposal | None:
    """By a word of its name, or else by a part of a word."""
    joined = "".join(column.words)
    words = [word for word in (joined, *column.words) if word in _VOCABULARY]
    if words:
        telling = next((word for word in words if _VOCABULARY[word].role == "sensitive"), words[0])
        spelled = next((word for word in name_words(column.short) if _singular(word) == telling), None)
        how = "by its name" if spelled is None else f"the name says `{spelled}`"
        return _named(column, _VOCABULARY[telling], how)
    part = _PART.search(joined)
    return None if part is None else _named(column, _VOCABULARY[part[0]], f"the name contains `{part[0]}`")


def _named(column: _Column, meaning: "_Meaning", how: str) -> RoleProposal:
    ending = "" if meaning.role == "sensitive" else column.values
    guess = "; confirm that it must stay confidential" if meaning.role == "sensitive" else ""
    reason = f"{meaning.words}: {how}{ending}{guess}"
    return RoleProposal(column.name, meaning.role, reason, meaning.role == "sensitive")


#: what tells within a longer word; many other words are parts of words with another meaning
_PART = re.compile(
    "diagnosis|diagnose|disease|illness|injury|income|salary|religion|gender|hispanic|ethni|marital|civil|death|birth|"
    "household|child|young|educ|occu|region|country|county|postal|^state(?!ment)|^zip|^sex|^job|"
    "geburt|geschlecht|krankheit|einkommen|beruf|telefon"
)


def _by_date(column: _Column) -> RoleProposal | None:
    if column.facts is None or column.facts.form != "date":
        return None
    reason = f"dates, which HIPAA (C) counts as identifying if they relate to a person{column.values}"
    return RoleProposal(column.name, "quasi-identifier", reason, False)


def _by_distinct_values(column: _Column) -> RoleProposal | None:
    facts = column.facts
    if facts is None:
        return None
    if column.is_free_text:
        reason = f"free text, which can name anyone{column.values}"
        return RoleProposal(column.name, "identifier", reason, False)
    is_named = facts.form in ("text", "code") or column.are_whole
    if column.are_distinct and is_named:
        return RoleProposal(column.name, "identifier", "every value is different", False)
    if facts.form in ("text", "code") and column.present >= _FEW_RECORDS and column.distinct > _MOST * column.present:
        reason = (
            f"almost every value is different: {column.distinct:,} values in {count_text(column.present, 'record')}"
        )
        return RoleProposal(column.name, "identifier", reason, False)
    return None


#: the share of records with a value of their own
_MOST = 0.9


def _by_rare_values(column: _Column) -> RoleProposal | None:
    facts = column.facts
    if facts is None or facts.rare <= _RARE * column.present:
        return None
    reason = f"{facts.rare:,} of {count_text(column.present, 'record')} have a value that fewer than {SMALLEST} share"
    return RoleProposal(column.name, "quasi-identifier", f"{reason}: whoever knows it can find them", True)


_RARE = 0.05


def _propose_like_identifiers(columns: Sequence[_Column], proposals: Sequence[RoleProposal]) -> Iterator[RoleProposal]:
    """Texts with as many values as an identifier that is repeated are probably names or numbers of the same persons."""
    found = list(zip(columns, proposals, strict=True))
    names = {
        column.distinct: column.name
        for column, each in reversed(found)
        if each.role == "identifier" and _FEW_VALUES < column.distinct < column.present
    }
    for column, each in found:
        same = names.get(column.distinct)
        is_open = each.is_guess and each.role == "quasi-identifier"
        if same is not None and is_open and column.facts is not None and column.facts.form in ("text", "code"):
            reason = f"as many values as `{same}`, which identifies persons: {column.distinct:,}"
            yield RoleProposal(column.name, "identifier", reason, True)
        else:
            yield each


def _otherwise(column: _Column) -> RoleProposal:
    reason = "neither its name nor its values say that someone else could know it"
    return RoleProposal(column.name, "other", f"{reason}{column.values}", True)


#: in this order, the first that has a proposal
_RULES: tuple[Callable[[_Column], RoleProposal | None], ...] = (
    _by_constant,
    _by_safe_harbor,
    _by_weight,
    _by_word,
    _by_person_word,
    _by_date,
    _by_distinct_values,
    _by_rare_values,
    _otherwise,
)


@dataclass(frozen=True, slots=True)
class _Meaning:
    role: Role
    words: str


def _vocabulary() -> Iterator[tuple[str, _Meaning]]:
    for role, meanings in _WORDS.items():
        for words, listed in meanings.items():
            yield from ((_singular(word), _Meaning(role, words)) for word in listed.split())


#: words of names, in the singular
_WORDS: Mapping[Role, Mapping[str, str]] = {
    "sensitive": {
        "a diagnosis": """
            diagnosis diagnose diagnostic dx icd icd9 icd10 disease illness condition disorder comorbidity
            symptom cancer tumor tumour hiv covid infection injury disability diabetes malformation
            krankheit erkrankung befund maladie diagnostico diagnosi enfermedad malattia ziekte
        """,
        "a treatment": """
            treatment therapy medication medicine drug prescription surgery procedure drg cpt dose
            therapie behandlung medikament traitement tratamiento terapia behandeling
        """,
        "health": """
            health pregnancy pregnant bmi cholesterol glucose pressure smoker smoking alcohol genotype gene
            mutation lab mortality
        """,
        "money": """
            income salary wage earning pay payment asset debt loan credit saving expenditure expend expense cost
            charge money profit turnover capital tax bonus mortgage rent benefit revenue wealth sale fund
            treasury financial depreciation pension welfare lunch einkommen gehalt lohn
            salaire ingreso salario reddito inkomen
        """,
        "a belief": """
            religion religious faith denomination church political party vote union
            konfession partei
        """,
        "a sexual orientation": """
            orientation sexuality
        """,
        "an offense": """
            crime criminal offence offense conviction arrest sentence
        """,
        "a result of a test": """
            score gpa exam result mark grade
        """,
    },
    "quasi-identifier": {
        "a characteristic known to others": """
            sex gender race ethnic ethnicity ethni etni hispanic nationality citizenship nation native age birth
            agegrp agegroup agecat ageband
            born death marital marriage marstat civil married language height geschlecht alter sexo edad
            sexe sesso geslacht leeftijd geburt geburtsjahr geboortedatum naissance nacimiento nascita nationalitat
            nationalitaet staatsangehorigkeit staatsangehoerigkeit nationalite nacionalidad nazionalita cittadinanza
            nationaliteit familienstand sprache
        """,
        "family, known to others": """
            relationship relat husband wife family child children household hh spouse young
        """,
        "work, known to others": """
            hourperweek occupation occu occupational profession job employer employment workclass industry work
            labor labour unemployed position rank beruf metier profesion professione beroep
        """,
        "education, known to others": """
            education educ educational degree schooling school teacher class bildung schulabschluss
        """,
        "a place known to others": """
            region state country county province district urban rural urbrur area city town municipality zip
            postal postcode plz address street longitude latitude location place neighborhood residence
            wohnort ort stadt gemeinde landkreis bundesland postleitzahl strasse anschrift adresse ville commune
            departement ciudad municipio provincia direccion citta comune indirizzo gemeente woonplaats
        """,
        "whom a person met, known to others": """
            hospital clinic physician doctor provider ward department dept krankenhaus klinik abteilung arzt hopital
            ospedale medecin medico ziekenhuis
        """,
        "a time": """
            year month week day date hour time jahr monat datum annee mois fecha anno jaar maand
        """,
    },
    "identifier": {
        "a name or number of a person or household": """
            hid hhid phone telephone email passport iban telefon telefonnummer handynummer telefono telefoon nachname
            vorname familienname nom prenom apellido cognome nome achternaam voornaam
        """,
    },
}


_SHORTEST = 3


def _singular(word: str) -> str:
    return word[:-1] if len(word) > _SHORTEST and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


_VOCABULARY: Mapping[str, _Meaning] = dict(_vocabulary())


def _without_common_start(names: Sequence[str]) -> tuple[str, ...]:
    """The names without one or two letters, or a part that ends in `_`, that all of them begin with."""
    letters = zip(*(name.casefold() for name in names), strict=False) if len(names) >= _FEW_NAMES else ()
    start = "".join(same[0] for same in takewhile(lambda each: len(set(each)) == 1, letters))
    length = len(start) if len(start) <= _LETTERS else start.rfind("_") + 1
    is_left = all(len(name) > length for name in names)
    return tuple(name[length:] for name in names) if is_left else tuple(names)


_FEW_NAMES = 4
_LETTERS = 2


@dataclass(frozen=True, slots=True)
class _Identifier:
    item: str  # of 45 CFR 164.514(b)(2)(i)
    meaning: str
    role: Role
    by_values: bool


#: by the column of the rule: the item of 45 CFR 164.514(b)(2)(i), its meaning, and the role of such a column
_ITEMS: Mapping[str, tuple[str, str, Role]] = {
    "name": ("(A)", "names", "identifier"),
    "place": ("(B)", "geographic subdivisions", "quasi-identifier"),
    "zip": ("(B)", "geographic subdivisions, a ZIP code", "quasi-identifier"),
    "birth": ("(C)", "dates related to a person, the birth", "quasi-identifier"),
    "admission": ("(C)", "dates related to a person", "quasi-identifier"),
    "later date": ("(C)", "dates related to a person", "quasi-identifier"),
    "date part": ("(C)", "parts of dates related to a person", "quasi-identifier"),
    "age": ("(C)", "ages, which identify above 89", "quasi-identifier"),
    "phone": ("(D)", "telephone numbers", "identifier"),
    "fax": ("(E)", "fax numbers", "identifier"),
    "email": ("(F)", "e-mail addresses", "identifier"),
    "ssn": ("(G)", "Social Security numbers", "identifier"),
    "mrn": ("(H)", "medical record numbers", "identifier"),
    "health plan": ("(I)", "numbers of a health plan's beneficiary", "identifier"),
    "account": ("(J)", "account numbers", "identifier"),
    "license": ("(K)", "numbers of certificates and licenses", "identifier"),
    "vehicle": ("(L)", "vehicles and license plates", "identifier"),
    "device": ("(M)", "devices and serial numbers", "identifier"),
    "url": ("(N)", "web addresses", "identifier"),
    "ip": ("(O)", "IP addresses", "identifier"),
    "biometric": ("(P)", "biometric identifiers", "identifier"),
    "photo": ("(Q)", "photographs", "identifier"),
    "code": ("(R)", "any other unique number or code", "identifier"),
    "notes": ("(R)", "free text, which can contain any identifier", "identifier"),
}


@cache
def _safe_harbor() -> Rule:
    return next(rule for rule in all_rules() if rule.name == "hipaa-safe-harbor")


def _match_safe_harbor(names: Sequence[str], samples: Samples) -> dict[str, _Identifier]:
    """The columns that are surely one of HIPAA's identifiers."""
    matching = match_columns(_safe_harbor(), names, TableRoles(), None, samples)
    found = {each.column.name: (each.columns, each.reason == "values") for each in matching.matches}
    found |= {each.column.name: (each.certain, False) for each in matching.doubts if each.certain}
    return {
        name: _Identifier(*_ITEMS[own], by_values) for own, (columns, by_values) in found.items() for name in columns
    }


def _propose_person(identifying: Sequence[_Column]) -> PersonProposal | None:
    """The identifier whose values are repeated; several records then belong to one person."""
    repeated = [each for each in identifying if each.facts is not None and _RECORD_WORDS.isdisjoint(each.words)]
    repeated = [each for each in repeated if 1 < each.distinct < each.present and _tells_persons_apart(each)]
    if not repeated:
        return None
    best = max(repeated, key=lambda each: (each.known is not None and each.known.item == "(H)", each.distinct))
    numbers = f"{count_text(best.distinct, 'value')} in {count_text(best.present, 'record')}"
    return PersonProposal(best.name, f"it identifies persons and has {numbers}: a person can have several records")


def _tells_persons_apart(column: _Column) -> bool:
    return looks_like_persons(column.short) or (column.known is not None and column.known.item in _PERSON_ITEMS)


_PERSON_ITEMS = ("(F)", "(G)", "(H)", "(I)")
#: an identifier of something of which a person has several
_RECORD_WORDS = frozenset(
    (
        *("visit", "encounter", "record", "row", "order", "specimen", "claim", "case", "study", "event", "episode"),
        *("stay", "admission", "accession", "file", "hadm"),
    )
)
