"""The README's policy as a tree that is built in code, without a text."""

from decimal import Decimal

from acompass.syntax.tree import (
    Aggregate,
    And,
    Assertion,
    Comparison,
    Condition,
    Filter,
    Function,
    Name,
    Number,
    Operator,
    Parameter,
    Process,
    Program,
    Quantifier,
    Reject,
    Replace,
    Requirement,
    Result,
    String,
)


def _each(result: Result | Filter | Process, condition: Condition) -> Assertion:
    return Assertion(Quantifier.EACH, result, condition)


def _top_coding(name: str, most: int) -> Requirement:
    limit = Number(Decimal(most))
    within = Comparison(Name(name), Operator.LE, limit)
    return Requirement(_each(Result(), within), Replace(Name(name), limit))


def _area(name: str, first: str, last: str, area: str) -> Requirement:
    column, general = Name(name), String(area)
    inside = And(
        (
            Comparison(column, Operator.GE, String(first)),
            Comparison(column, Operator.LE, String(last)),
        )
    )
    done = Comparison(column, Operator.EQ, general)
    return Requirement(_each(Filter(inside), done), Replace(column, general))


def _k_anonymity(*names: str) -> Requirement:
    classes = Process(
        Aggregate(Function.COUNT), Name("Class Size"), group_by=tuple(Name(name) for name in names)
    )
    large = Comparison(Name("Class Size"), Operator.GE, Parameter("k"))
    return Requirement(_each(classes, large), Reject())


README = Program(
    (
        _top_coding("Age", 80),
        _area("Postal Code", "21200", "21299", "212**"),
        _area("Postal Code", "21400", "21499", "214**"),
        _k_anonymity("Age", "Postal Code"),
    )
)

#: the README's policy without its comments, as the formatter writes it
README_TEXT = """\
EACH RESULT
   : Age <= 80
   : REPLACE Age WITH 80;

EACH FILTER Postal Code >= '21200' AND Postal Code <= '21299'
   : Postal Code = '212**'
   : REPLACE Postal Code WITH '212**';

EACH FILTER Postal Code >= '21400' AND Postal Code <= '21499'
   : Postal Code = '214**'
   : REPLACE Postal Code WITH '214**';

EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Postal Code
   : Class Size >= k
   : REJECT;
"""
