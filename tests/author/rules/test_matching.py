"""Columns of a rule are found in tables with the headers of hospitals, insurers, statistical offices and schools."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.author.rules.library import Rule, RuleColumn, all_rules
from acompass.author.rules.likeness import FORMS, name_words
from acompass.author.rules.matching import Matching, ask, match_columns, require_certain, sample_values
from acompass.errors.diagnostics import CallError, spelled_by
from acompass.options import command_line_spelling
from acompass.policy import TableRoles, parse

IDS, QI = "identifiers", "quasi-identifiers"


def _rule(*columns: RuleColumn) -> Rule:
    policy = parse("EACH RESULT : x = 1;")
    today = date(2026, 1, 1)
    return Rule("ours", "Ours", "https://example.org", today, today, "", (), (), columns, policy, (), "", Path())


#: a rule about patients, with columns as those of the 18 identifiers
PATIENTS = _rule(
    RuleColumn("name", "a name", IDS, ("first name", "last name", "surname", "forename", "given name"), is_many=True),
    RuleColumn("address", "a street address", IDS, ("street", "street address", "homeadd"), is_many=True),
    RuleColumn("city", "a place", None, ("town", "county", "parish"), is_many=True),
    RuleColumn(
        "zip", "a ZIP code", QI, ("zip code", "zipcode", "postal code", "postcode", "zip5"), ("zip",), is_many=True
    ),
    RuleColumn(
        "birth date", "the date of birth", QI, ("date of birth", "dob", "birthdate", "birth datetime"), ("date",)
    ),
    RuleColumn("date", "another date", None, ("admission", "discharge", "service date"), ("date",), is_many=True),
    RuleColumn(
        "age", "the age in years", QI, ("age in years", "patient age", "startage", "agep"), ("age",), is_many=True
    ),
    RuleColumn(
        "phone", "a telephone number", IDS, ("telephone", "phone number", "mobile", "fax"), ("phone",), is_many=True
    ),
    RuleColumn("email", "an email address", IDS, ("email address", "e-mail"), ("email",), is_many=True),
    RuleColumn("ssn", "a social security number", IDS, ("social security number",), ("ssn",), is_many=True),
    RuleColumn(
        "record number", "a medical record number", IDS, ("mrn", "medical record number", "nhs number"), is_many=True
    ),
    RuleColumn("url", "a web address", IDS, ("website",), ("url",), is_many=True),
    RuleColumn("ip", "an IP address", IDS, ("ip address",), ("ip",), is_many=True),
    RuleColumn(
        "person", "who it is", "person", ("patient", "patient id", "person id", "bene id", "subject id", "student id")
    ),
)
#: a rule about cells of a table of counts or of a table of records
CELLS = _rule(
    RuleColumn("count", "a number", None, ("n", "patients", "persons", "people", "cases"), ("count",), is_many=True),
    RuleColumn("cell", "a group", QI, is_many=True, unless="count"),
    RuleColumn("person", "who it is", "person", ("patient", "patient id", "person id", "bene id")),
)

NAMES = ["Ana Lima", "John Doe", "Mia Wong"]
DATES = ["2021-03-04", "1950-12-31", "2020-02-29"]
US_DATES = ["03/04/2021", "12/31/1950", "02/29/2020"]
ZIPS = ["02139", "94305", "10001"]
AGES = ["34", "93", "7"]
CODES = ["a71b", "k203", "m99x"]
TEXT = ["north", "south", "east"]
NUMBERS = ["12.5", "8.25", "100.75"]
COUNTS = ["12", "340", "5"]
PHONES = ["(212) 555-0123", "617-555-0188", "+44 20 7946 0958"]
EMAILS = ["a@example.org", "b.c@example.com", "d@mail.example.net"]
SSNS = ["123-45-6789", "987-65-4321", "078-05-1120"]
YEARS = ["1999", "2003", "2021"]

_SAMPLES = (NAMES, DATES, US_DATES, ZIPS, AGES, CODES, TEXT, NUMBERS, COUNTS, PHONES, EMAILS, SSNS, YEARS)
_KINDS = "names dates us_dates zips ages codes text numbers counts phones emails ssns years"
SAMPLES = dict(zip(_KINDS.split(), _SAMPLES, strict=True))
Columns = Mapping[str, tuple[Sequence[str], str | None]]

#: the columns of tables: their names, their values, and the column of the rule that they are
HEADERS = {
    "hospital register": """
        MRN|codes|record number; PatientName|names|name; DOB|us_dates|birth date; Sex|F,M,F; Patient Zip
        Code|zips|zip; Home Phone|phones|phone; E-Mail|emails|email; Admission Date|us_dates|date;
        DischargeDate|us_dates|date; Age|ages|age; LengthOfStay|3,12,1; Hospital Name|text; Diagnosis Code|codes;
        Average Charge|numbers; Statement|text
    """,
    "synthetic patients": """
        Id|codes; BIRTHDATE|dates|birth date; DEATHDATE|dates|date; SSN|ssns|ssn; DRIVERS|codes;
        FIRST_NAME|names|name; LAST_NAME|names|name; MAIDEN_NAME|names|name; MARITAL|M,S,M; ADDRESS|text|address;
        CITY|text|city; STATE|text; COUNTY|text|city; ZIP|zips|zip; LAT|numbers; HEALTHCARE_EXPENSES|numbers
    """,
    "claims": """
        BENE_ID|codes|person; BENE_BIRTH_DT|dates|birth date; BENE_SEX_IDENT_CD|1,2,1; BENE_ZIP_CD|zips|zip;
        CLM_ADMSN_DT|dates|date; NCH_BENE_DSCHRG_DT|dates|date; PRVDR_NUM|codes; CLM_PMT_AMT|numbers;
        BENE_AGE_CNT|ages|age
    """,
    "episodes of NHS hospitals": """
        EPIKEY|codes; NHS_NUMBER|9434765919,4010232137,5555555555|record number; STARTAGE|ages|age; DOB|dates|birth
        date; HOMEADD|text|address; POSTCODE|SW1A 1AA,EC1A 1BB,M1 1AE|zip; ADMIDATE|dates|date; EPISTART|dates|date;
        SEX|1,2,1; DIAG_01|codes; PROCODE|codes
    """,
    "OMOP": """
        person_id|codes|person; gender_concept_id|8507,8532,8507; year_of_birth|years; birth_datetime|1950-01-02
        00:00:00,1999-12-31 00:00:00|birth date; race_concept_id|8527,8515; zip|zips|zip; county|text|city
    """,
    "school": """
        StudentID|codes|person; Student Name|names|name; Guardian E-mail|emails|email; Guardian_Phone|phones|phone;
        Date of Birth|us_dates|birth date; School Name|text; Grade Level|3,4,5; zip_code|zips|zip; GPA|numbers
    """,
    "contacts with odd names": """
        kontakt|emails|email; tel1|phones|phone; homepage|https://example.org/a,http://example.com|url;
        last_login_from|192.168.0.1,10.0.0.7|ip; sv|ssns|ssn; payment|numbers
    """,
    "census microdata": """
        SERIALNO|codes; PUMA|00100,03701; AGEP|ages|age; PINCP|52000,0,1200; PWGTP|61,105,12
    """,
    "intensive care": """
        subject_id|codes|person; hadm_id|codes; gender|F,M; anchor_age|ages|age; anchor_year|years; dod|dates|date;
        admittime|2180-05-06 22:23:00,2157-11-20 19:18:02|date; insurance|text; hospital_expire_flag|0,1,0
    """,
    "general practice": """
        patient_surname|names|name; patient_forename|names|name; practice_name|text; usual_gp_name|names|name;
        telephone_mobile|07700900123,07700900456|phone; date_of_registration|04/03/2021,31/12/1999|date;
        drug_name|text; test_date|04.03.2021,31.12.1999|date; number_of_visits|3,200,1; age_at_diagnosis|ages|age;
        state_of_health|text
    """,
    "employees": """
        Employee Number|10234,20411; Full Name|names|name; Office Phone|phones|phone; Mailing Address Line
        1|text|address; Postal Code|zips|zip; Hire Date|4-Mar-2021,31-Dec-1999|date; Salary|52000,48500; File
        Name|a.pdf,b.pdf
    """,
    "table of counts": """
        Region|text; Year|years; Number of Patients|counts|count; Rate|numbers
    """,
    "statistical office": """
        geo_code|codes; Age group|0-4,5-9; persons|counts|count
    """,
    "school counts": """
        School|text; n|12,*,<10,44|count; pct|numbers
    """,
}


def _headers() -> Iterator[tuple[str, Rule, Columns]]:
    for title, text in HEADERS.items():
        columns = {}
        for each in " ".join(text.split()).split(";"):
            name, values, *owner = (part.strip() for part in each.split("|"))
            columns[name] = SAMPLES.get(values) or values.split(","), owner[0] if owner else None
        yield title, CELLS if any(owner == "count" for _, owner in columns.values()) else PATIENTS, columns


def _match(rule: Rule, columns: Columns, **arguments: object) -> Matching:
    samples = {name: values for name, (values, _) in columns.items()}
    return match_columns(rule, list(columns), TableRoles(), samples=samples, **arguments)  # type: ignore[arg-type]


def _owners(matching: Matching) -> dict[str, str]:
    return {name: match.column.name for match in matching.matches for name in match.columns}


def test_precision_and_recall() -> None:
    """A column that is matched is the right one. A column that is not matched is asked about, with few exceptions."""
    total = {"right": 0, "asked": 0, "missed": 0, "wrong": 0}
    print(f"\n{'header':28} {'right':>6} {'asked':>6} {'missed':>7} {'wrong':>6}")
    for title, rule, columns in _headers():
        matching = _match(rule, columns)
        found = _owners(matching)
        asked = {(doubt.column.name, name) for doubt in matching.doubts for name in doubt.candidates}
        here = dict.fromkeys(total, 0)
        for name, (_, owner) in columns.items():
            if name in found:
                here["right" if found[name] == owner else "wrong"] += 1
            elif owner is not None:
                here["asked" if (owner, name) in asked else "missed"] += 1
        for kind, number in here.items():
            total[kind] += number
        print(f"{title:28} {here['right']:6} {here['asked']:6} {here['missed']:7} {here['wrong']:6}")
    meant = total["right"] + total["asked"] + total["missed"]
    print(f"precision {total['right'] / (total['right'] + total['wrong']):.3f}, recall {total['right'] / meant:.3f}")
    assert total["wrong"] == 0
    assert total["missed"] == 0
    assert total["right"] >= 0.8 * meant


def _find(columns: Mapping[str, Sequence[str]], *own: RuleColumn, **arguments: object) -> Matching:
    given = {"roles": TableRoles(), "samples": columns, **arguments}
    return match_columns(_rule(*own), list(columns), **given)  # type: ignore[arg-type]


AGE = RuleColumn("age", "the age", QI, (), ("age",))
NAME = RuleColumn("name", "a name", IDS)
STATE = RuleColumn("state", "a state")
ID = RuleColumn("id", "a number of a person")
ZIP = RuleColumn("zip", "a ZIP code", QI, ("zip code",), ("zip",))


@pytest.mark.parametrize(
    ("column", "name", "values"),
    [
        (AGE, "average", COUNTS),
        (AGE, "average age", AGES),
        (AGE, "message", TEXT),
        (AGE, "age_group", ["0-4", "5-9"]),
        (NAME, "hospital name", TEXT),
        (NAME, "filename", TEXT),
        (NAME, "name of the drug", TEXT),
        (STATE, "statement", TEXT),
        (STATE, "state of health", TEXT),
        (STATE, "marital state", TEXT),
        (ID, "paid", NUMBERS),
        (ID, "video id", CODES),
        (ZIP, "zip compressed", ["yes", "no"]),
        (ZIP, "provider zip code", ZIPS),
    ],
)
def test_false_friends_are_not_matched(column: RuleColumn, name: str, values: Sequence[str]) -> None:
    assert _find({name: values}, column).matches == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("PatientZIPCode", ("patient", "zip", "code")),
        ("patient_zip-code.2", ("patient", "zip", "code", "2")),
        ("ZIP5", ("zip", "5")),
        ("Prénom", ("prenom",)),
        ("STRASSE", ("strasse",)),
        ("Straße", ("strasse",)),
        ("出生日期", ("出生日期",)),
        ("", ()),
        ("__", ()),
    ],
)
def test_words_of_a_name(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


def test_a_longer_name_is_matched_if_the_values_agree() -> None:
    for values, is_sure in ((ZIPS, True), ([], True), (TEXT, False)):
        matching = _find({"patient zip code": values}, ZIP)
        assert bool(matching.matches) == is_sure
        assert bool(matching.doubts) != is_sure


def test_the_longest_name_wins() -> None:
    own = RuleColumn("birth", "a birth"), RuleColumn("birth date", "a date", values=("date",))
    assert _find({"birth_date_of_child": DATES}, *own).columns == {"birth date": ("birth_date_of_child",)}


FORM_VALUES: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "email": (EMAILS, ["a@b", "@example", "a at example.org"]),
    "phone": (PHONES, ["12345", "call me"]),
    "ssn": (SSNS, ["123-456-789", "12345"]),
    "ip": (["10.0.0.1", "2001:db8::1"], ["1.2", "12:30"]),
    "url": (["https://example.org", "www.example.org"], ["example", "http:/x"]),
    "zip": (["02139", "02139-4307", "021", "021**"], ["2", "SW1A 1AA"]),
    "date": (["2021-03-04", "4.3.2021", "03/04/21", "4 March 2021", "Mar 4, 2021", "20210304"], ["2021", "12345678"]),
    "year": (YEARS, ["99", "12345", "0150"]),
    "date or year": (YEARS, ["99", "12345", "soon"]),
    "age": (["0", "130", "90+", "34 years"], ["131", "-1", "4.5"]),
    "count": (["0", "1,200", "12", "<11"], ["-1", "4.5", "many"]),
    "number": (["0", "-4.5", "1e5", "1,200.5"], ["a", "1-2"]),
    "text": (TEXT, ["12", "-"]),
    "code": (CODES, ["abc", "a 1"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    fitting, others = FORM_VALUES[form]
    column = RuleColumn("zzz", "something", values=(form,))
    own = RuleColumn("x y", "something", names=(), values=(form,))
    assert _find({"the zzz": fitting}, column).matches, "values of the form"
    for value in others:
        matching = _find({"the x y": [value]}, own)
        assert not matching.matches, value


@pytest.mark.parametrize("form", FORMS)
def test_values_alone(form: str) -> None:
    """Distinctive forms are sure, others are asked about, and some say too little."""
    column, fitting = RuleColumn("zzz", "something", values=(form,)), list(FORM_VALUES[form][0][:1]) * 40
    matching = _find({"a": fitting}, column)
    expected = {
        **dict.fromkeys(("email", "phone", "ssn", "ip", "url"), "sure"),
        **dict.fromkeys(("zip", "date", "year", "age", "count"), "asked"),
    }
    found = "sure" if matching.matches else "asked" if matching.doubts else None
    assert found == expected.get(form)
    assert not _find({"a": [*fitting, *["!"] * 3]}, column).matches, "fewer than 95 %"


def test_plain_digits_are_no_telephone_numbers_unless_the_name_says_so() -> None:
    column = RuleColumn("phone", "a number", values=("phone",))
    assert not _find({"account": ["2125550123", "6175550188"]}, column).matches
    assert _find({"home phone": ["2125550123", "6175550188"]}, column).matches


def test_two_candidates_are_a_doubt_unless_many_are_meant() -> None:
    columns = {"home zip": ZIPS, "work zip": ZIPS}
    assert _find(columns, ZIP).doubts[0].candidates == ("home zip", "work zip")
    many = RuleColumn("zip", "a ZIP code", values=("zip",), is_many=True)
    assert _find(columns, many).columns == {"zip": ("home zip", "work zip")}
    assert _find({"zip": ZIPS, "work zip": ZIPS}, ZIP).columns == {"zip": ("zip",)}, "the name itself"


def test_dates_without_a_known_name_are_asked_about_beside_those_that_are_certain() -> None:
    column = RuleColumn("date", "a date", values=("date",), is_many=True)
    matching = _find({"admission_date": DATES, "seen": DATES, "sex": TEXT}, column)
    (doubt,) = matching.doubts
    assert (doubt.candidates, doubt.certain) == (("admission_date", "seen"), ("admission_date",))
    with pytest.raises(CallError) as caught:
        require_certain(matching)
    (found,) = caught.value.diagnostics
    assert found.message == "column `date` of the rule could also be `seen`"
    expected = 'give `columns={"date": ["admission_date", "seen"]}`, or `columns={"date": ["admission_date"]}` if they'
    assert found.help == f"{expected} are something else"
    prompt, asked = _answers("0", "1")
    assert [ask(matching, prompt)["date"] for _ in range(2)] == [("admission_date",), ("admission_date", "seen")]
    assert asked[0].startswith("`date`: a date. `admission_date`, and which other columns?\n  1  seen\n  0  none\n")


def test_counts_without_a_known_name_are_asked_about_beside_those_that_are_certain() -> None:
    table = [{"Region": "north", "Boys": 5, "Girls": 20, "Total": 25, "Share": "0.2"}]
    with pytest.raises(CallError, match="`count` of the rule could also be `Boys` or `Girls`"):
        acompass.rules.check("cms-cell-size", table)
    assert acompass.rules.check("cms-cell-size", table, columns={"count": ["Total"]}).ok
    assert not acompass.rules.check("cms-cell-size", table, columns={"count": ["Total", "Boys", "Girls"]}).ok


def test_a_required_column_is_in_doubt_if_it_is_not_found() -> None:
    column = RuleColumn("zip", "a ZIP code", is_required=True)
    assert _find({"a": TEXT}, column).doubts[0].candidates == ()
    assert not _find({"a": TEXT}, RuleColumn("zip", "a ZIP code")).doubts


def test_roles() -> None:
    columns = {"Group": TEXT, "Who": CODES, "mail": EMAILS, "x": CODES, "patient id": CODES}
    roles = TableRoles(quasi_identifiers=("group",), identifiers=("x", "mail"), person="who")
    own = (
        RuleColumn("cell", "a group", QI, is_many=True),
        RuleColumn("email", "an address", IDS, values=("email",)),
        RuleColumn("other", "another identifier", IDS, is_many=True),
        RuleColumn("person", "who it is", "person", ("patient id",)),
    )
    found = {"cell": ("Group",), "email": ("mail",), "other": ("x",), "person": ("Who",)}
    matching = _find(columns, *own, roles=roles)
    assert matching.columns == found
    assert {match.column.name: match.reason for match in matching.matches} == {
        "cell": "role",
        "email": "values",
        "other": "role",
        "person": "role",
    }
    assert matching.others == ("patient id",)


def test_a_role_of_several_kinds_of_columns_does_not_decide() -> None:
    """`age` and `zip` of the rule are quasi-identifiers, but not every quasi-identifier is an age."""
    roles = TableRoles(quasi_identifiers=("age", "sex"))
    assert _find({"age": AGES, "sex": TEXT}, AGE, roles=roles).columns == {"age": ("age",)}
    assert not _find({"sex": TEXT}, AGE, roles=roles).matches


def test_roles_of_dropped_columns_are_not_missed() -> None:
    """A released table lacks the identifiers."""
    assert _find({"zip": ZIPS}, ZIP, roles=TableRoles(identifiers=("name",))).columns == {"zip": ("zip",)}


def test_unless() -> None:
    roles = TableRoles(quasi_identifiers=("region", "sex"))
    records = {"region": TEXT, "sex": TEXT, "stay": COUNTS}
    counts = {"region": TEXT, "sex": TEXT, "n": COUNTS}
    assert match_columns(CELLS, list(counts), roles, samples=counts).columns == {"count": ("n",)}
    found = match_columns(CELLS, list(records), roles, samples=records)
    assert found.columns == {"cell": ("region", "sex")}
    assert found.doubts == (), "the roles say that it is a table of records"
    found = match_columns(CELLS, list(counts), roles, {"count": []}, counts)
    assert found.columns == {"cell": ("region", "sex")}


def test_a_number_of_each_record_is_not_taken_for_a_table_of_counts() -> None:
    columns = {"region": TEXT, "visit count": COUNTS}
    found = match_columns(CELLS, list(columns), TableRoles(quasi_identifiers=("region",)), samples=columns)
    assert found.columns == {"cell": ("region",)}
    assert [(each.column.name, each.candidates) for each in found.doubts] == [("count", ("visit count",))]
    again = match_columns(CELLS, list(columns), TableRoles(), {"count": ["visit count"]}, columns)
    assert again.columns == {"count": ("visit count",)}


def test_given_columns_win() -> None:
    columns = {"zip": ZIPS, "area": TEXT}
    found = _find(columns, ZIP, given={"ZIP": ["Area"]})
    assert found.columns == {"zip": ("area",)}
    assert found.matches[0].reason == "given"
    assert found.others == ("zip",)
    assert _find(columns, ZIP, given={"zip": []}).matches == ()


@pytest.mark.parametrize(
    ("given", "message", "help_"),
    [
        (
            {"zipp": ["zip"]},
            "unknown column `zipp` of rule `ours` in `columns`",
            "columns: zip, age; did you mean `zip`?",
        ),
        ({"zip": ["zips"]}, "unknown column `zips` of the table in `columns`", "columns: zip, b; did you mean `zip`?"),
        (
            {"zip": ["zip", "b"]},
            "2 columns are given for `zip` of the rule, expected one",
            'give one, as in `columns={"zip": …}`',
        ),
        (
            {"zip": ["b"], "age": ["b"]},
            "column `b` is given for `zip` and for `age` of the rule",
            "give it for one of them",
        ),
        ({"age": []}, "the rule needs a column for `age`", 'give `columns={"age": …}`'),
    ],
)
def test_given_columns_are_checked(given: Mapping[str, Sequence[str]], message: str, help_: str) -> None:
    age = RuleColumn("age", "the age", is_required=True)
    with pytest.raises(CallError) as caught:
        _find({"zip": ZIPS, "b": TEXT}, ZIP, age, given=given)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message, found.help) == ("AC654", message, help_)


def test_doubts_are_reported_with_an_option_to_paste() -> None:
    columns = {"home zip": ZIPS, "work zip": ZIPS, "a, b": DATES, "seen": DATES}
    dates = RuleColumn("date", "a date", values=("date",), is_many=True)
    matching = _find(columns, ZIP, dates, RuleColumn("sex", "the sex", is_required=True))
    with pytest.raises(CallError) as caught:
        require_certain(matching)
    (found,) = caught.value.diagnostics
    assert found.code == "AC652"
    assert found.message == (
        "columns are in doubt: `zip` of the rule could be `home zip` or `work zip`; `date` of the rule could be `a, b` "
        "or `seen`; `sex` of the rule was not found"
    )
    assert found.help == (
        'give `columns={"zip": "home zip", "date": ["a, b", "seen"], "sex": …}`, or `columns={"zip": [], "date": []}` '
        "if they are something else; columns: home zip, work zip, a, b, seen"
    )
    with spelled_by(command_line_spelling), pytest.raises(CallError) as caught:
        require_certain(_find({"home zip": ZIPS, "work zip": ZIPS}, ZIP))
    flag = command_line_spelling("columns")
    expected = f'give `{flag} "zip=home zip"`, or `{flag} zip=` if they are something else'
    assert caught.value.diagnostics[0].help == expected
    require_certain(_find({"zip": ZIPS}, ZIP))


def test_what_is_pasted_is_certain() -> None:
    matching = _find(
        {"a": DATES, "b": DATES},
        RuleColumn("birth date", "x", values=("date",)),
        RuleColumn("date", "x", values=("date",)),
    )
    with pytest.raises(CallError) as caught:
        require_certain(matching)
    help_ = caught.value.diagnostics[0].help or ""
    assert 'columns={"birth date": "a", "date": "b"}' in help_, "no column is offered twice"


def _answers(*texts: str) -> tuple[Callable[[str], str], list[str]]:
    left, asked = iter(texts), list[str]()

    def prompt(text: str) -> str:
        asked.append(text)
        return next(left)

    return prompt, asked


def test_asking() -> None:
    columns = {"home zip": ZIPS, "work zip": ZIPS, "area": TEXT}
    matching = _find(columns, ZIP)
    for answer, expected in (
        ("2", ("work zip",)),
        ("AREA", ("area",)),
        ("0", ()),
        ("none", ()),
        (" 1 ", ("home zip",)),
    ):
        prompt, asked = _answers(answer)
        given = ask(matching, prompt)
        assert given == {"zip": expected}
        assert not _find(columns, ZIP, given=given).doubts
        assert asked == [
            "`zip`: a ZIP code. Which column of the table is it?\n  1  home zip\n  2  work zip\n  0  none\n"
            "a number or the name of a column"
        ]


def test_asking_again() -> None:
    prompt, asked = _answers("3", "zipp", "1")
    matching = _find({"home zip": ZIPS, "work zip": ZIPS}, ZIP)
    assert ask(matching, prompt) == {"zip": ("home zip",)}
    assert asked[1] == "unknown column `3`; columns: home zip, work zip\na number or the name of a column"


def test_asking_about_several() -> None:
    dates = RuleColumn("date", "a date", values=("date",), is_many=True, is_required=True)
    birth = RuleColumn("birth date", "a date", values=("date",))
    matching = _find({"a": DATES, "b, c": DATES, "d": DATES}, birth, dates)
    prompt, asked = _answers("1", "0", "a", "1, d")
    assert ask(matching, prompt) == {"birth date": ("a",), "date": ("b, c", "d")}
    several = "a number or the name of a column, or several with commas between them"
    assert asked[1] == f"`date`: a date. Which columns of the table are these?\n  1  b, c\n  2  d\n{several}"
    assert asked[2:] == [
        f"unknown column `0`; columns: a, b, c, d\n{several}",
        f"`a` was named for `birth date`\n{several}",
    ]
    prompt, _ = _answers("1", "b, c")
    assert ask(matching, prompt)["date"] == ("b, c",)


def test_a_column_that_was_named_is_not_offered_again() -> None:
    own = RuleColumn("birth date", "a date", values=("date",)), RuleColumn("death date", "a date", values=("date",))
    prompt, _ = _answers("1")
    assert ask(_find({"seen": DATES}, *own), prompt) == {"birth date": ("seen",)}


words = st.sampled_from(
    ["patient", "zip", "code", "name", "date", "birth", "age", "n", "hospital", "id", "count", "x", "email"]
)
headers = st.lists(st.lists(words, min_size=1, max_size=3).map("_".join), min_size=1, max_size=8, unique=True)
samples = st.sampled_from([DATES, ZIPS, AGES, CODES, TEXT, EMAILS, COUNTS, []])


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rule, dict[str, Sequence[str]], TableRoles]:
    columns = {name: draw(samples) for name in draw(headers)}
    names = st.sampled_from(list(columns))
    by_role = {name: draw(st.sampled_from(["quasi_identifiers", "identifiers", "other", None])) for name in columns}
    chosen = {role: tuple(n for n, own in by_role.items() if own == role) for role in set(by_role.values()) - {None}}
    roles = TableRoles(**chosen, person=draw(st.none() | names))  # type: ignore[arg-type]
    return draw(st.sampled_from([PATIENTS, CELLS])), columns, roles


@settings(deadline=None, max_examples=150)
@given(tables(), st.data())
def test_laws(table: tuple[Rule, dict[str, Sequence[str]], TableRoles], data: st.DataObject) -> None:
    rule, columns, roles = table
    matching = match_columns(rule, list(columns), roles, samples=columns)
    named = [name for match in matching.matches for name in match.columns]
    assert len(named) == len(set(named)), "a column of the table is one column of the rule"
    assert sorted(matching.names) == sorted(columns)
    assert all(match.column.is_many or len(match.columns) == 1 for match in matching.matches)
    assert {each.column.name for each in matching.matches}.isdisjoint(each.column.name for each in matching.doubts)
    others = data.draw(st.permutations(list(columns)))
    assert _as_sets(match_columns(rule, others, roles, samples=columns)) == _as_sets(matching)
    column, name = data.draw(st.sampled_from(rule.columns)), data.draw(st.sampled_from(others))
    given = match_columns(rule, others, roles, {column.name: [name]}, columns)
    assert given.columns[column.name] == (name,)
    assert [each for each in given.matches if name in each.columns] == [m for m in given.matches if m.reason == "given"]
    empty = match_columns(rule, others, roles, {each.name: [] for each in rule.columns}, columns)
    assert (empty.matches, empty.doubts) == ((), ())


def _as_sets(matching: Matching) -> object:
    matches = {(each.column.name, frozenset(each.columns), each.reason) for each in matching.matches}
    return matches, {(each.column.name, frozenset(each.candidates)) for each in matching.doubts}, set(matching.others)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_rules_of_the_library_match_their_own_tables(rule: Rule) -> None:
    """Their tables have the names of the rule's columns."""
    assert all(form in FORMS for column in rule.columns for form in column.values)
    for path in sorted(rule.folder.glob("table*.csv")):
        with acompass.open(path) as session:
            matching = match_columns(rule, session.columns, TableRoles(), samples=sample_values(session))
        assert not matching.doubts, path.name
        assert all(name == own for own, names in matching.columns.items() for name in names), path.name


def test_messages_contain_no_value() -> None:
    secrets = ["s3cret-1", "s3cret-2"]
    matching = _find({"zip of x": secrets, "y": secrets}, ZIP)
    with pytest.raises(CallError) as caught:
        require_certain(matching)
    assert "s3cret" not in f"{matching!r} {caught.value} {caught.value!r}"
