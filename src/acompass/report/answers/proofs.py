"""Describe proofs, privacy and comparisons of policies.

The records in them are invented by the prover; none of them comes from a table."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple, assert_never

from acompass.dataclasses import replace
from acompass.errors.diagnostics import option_text
from acompass.errors.display import count_text, on_one_line
from acompass.language.program.types import Column, Kind, Schema, Value, to_text
from acompass.language.text.tokens import policy_line
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Proof
from acompass.reason.compare.answer import Comparison, Difference, Release, Releases, is_implied
from acompass.reason.privacy.answer import (
    NEIGHBORS,
    NOT_COVERED,
    UNIT,
    ColumnPrivacy,
    ColumnVerdict,
    LineStability,
    Privacy,
    PrivacyProof,
    Refusal,
    TablePrivacy,
    Weights,
    Witness,
    stability_text,
)
from acompass.report import document as doc

_TONES: dict[ClaimVerdict, doc.Tone] = {
    ClaimVerdict.PROVED: "good",
    ClaimVerdict.REFUTED: "bad",
    ClaimVerdict.UNDECIDED: "none",
}
_EQUIVALENCE = {True: "equivalent", False: "different", None: "undecided"}
_GUARANTEE_VERDICTS = {True: "all kept", False: "not all kept", None: "not all known to be kept"}
_RELEASES = {
    Releases.SAME: "the new policy releases the same as the old one",
    Releases.NO_MORE: "the new policy releases no more than the old one",
    Releases.MORE: "the new policy releases more than the old one",
    Releases.UNDECIDED: "it is undecided whether the new policy releases more than the old one",
}
_NO_RECORDS, _NOTHING_WRITTEN = "no records", "nothing is written"


def describe_proof(proof: Proof, context: doc.Context) -> Iterator[doc.Block]:
    """Text has a section for each claim; the others a table of claims, then the counterexamples."""
    yield doc.headline("Proof", context, _count_verdicts(proof), proof.ok)
    yield doc.Either(
        text=[*map(claim_section, proof.claims), *_inferred_types(proof)],
        rich=[
            *_claims_table("Claims", proof.claims),
            *(
                block
                for claim in proof.claims
                for block in _counterexample_section(claim, f"{_place(claim)} is refuted by this table")
            ),
            *_types_section(proof.types, proof.inferred),
        ],
    )
    if isinstance(proof, PrivacyProof) and proof.privacy is not None:
        yield from _describe_privacy(proof.privacy)


def _count_verdicts(proof: Proof) -> str:
    if proof.ok:
        return f"{count_text(len(proof.claims), 'claim')} proved"
    numbers = Counter(claim.verdict for claim in proof.claims)
    return ", ".join(f"{numbers[verdict]:,} {verdict}" for verdict in ClaimVerdict if numbers[verdict])


def claim_section(claim: Claim) -> doc.Section:
    """The claim with its reason, and the table before and after the policy if it is refuted."""
    place = "" if claim.line is None else f"line {claim.line}: "
    tables = () if claim.counterexample is None else _counterexample_tables(claim.counterexample)
    return doc.Section(
        f"{claim.verdict}  {place}{policy_line(claim.text)}", [doc.Bullets(_claim_reasons(claim)), *tables]
    )


def _claim_reasons(claim: Claim) -> list[str]:
    """The steps of the proof, and whether it is certified, if a certificate was requested."""
    lines = claim.reason.splitlines()
    if claim.is_certified is not None:
        lines.append("certified" if claim.is_certified else f"not certified: {claim.uncertified}")
    return lines


def _inferred_types(proof: Proof | Comparison) -> Iterator[doc.Paragraph]:
    """The types that the call does not specify."""
    if proof.inferred:
        types = ", ".join(f"{on_one_line(name)} {proof.types[name]}" for name in proof.inferred)
        yield doc.Paragraph(f"types inferred from the policy: {types}")


def _claims_table(caption: str, claims: Sequence[Claim]) -> Iterator[doc.Table]:
    if claims:
        yield doc.Table(caption, ("line", "verdict", "assertion", "why"), [*map(_claim_row, claims)], "r")


def _claim_row(claim: Claim) -> tuple[doc.Words, ...]:
    place = "claim" if claim.line is None else str(claim.line)
    verdict = doc.Verdict(claim.verdict, _TONES[claim.verdict])
    return place, verdict, doc.Code(policy_line(claim.text)), doc.Lines(_claim_reasons(claim))


def _place(claim: Claim) -> str:
    return "The claim" if claim.line is None else f"Line {claim.line}"


def _counterexample_section(claim: Claim, title: str) -> Iterator[doc.Section]:
    if claim.counterexample is not None:
        assertion = doc.Paragraph(doc.Code(policy_line(claim.text)))
        yield doc.Section(title, [assertion, *_counterexample_tables(claim.counterexample)])


def _counterexample_tables(found: Counterexample) -> Iterator[doc.Block]:
    yield _records_table("before", found.schema, found.records)
    yield from _trace(found.trace)
    yield _records_table("after", found.left_schema, found.left)
    other = found.instead
    if other is not None:
        yield _records_table(other.title, other.schema, other.records)


def _trace(trace: Sequence[str]) -> Iterator[doc.Paragraph]:
    if trace:
        yield doc.Paragraph(f"trace {', '.join(trace)}")


def _records_table(caption: str, schema: Schema, records: Sequence[Sequence[Value]] | None) -> doc.Table:
    """`records` is None if nothing is written."""
    header = [doc.Code(column.name) for column in schema]
    rows = [[*map(_cell, record, schema)] for record in records or ()]
    empty = _NOTHING_WRITTEN if records is None else _NO_RECORDS
    return doc.Table(caption, header, rows, is_titled=True, is_numbered=True, empty=empty)


def _cell(value: Value, column: Column) -> doc.Code:
    if column.type.kind is Kind.OPAQUE:
        return doc.Code(value)
    text = to_text(value, column.type)
    return doc.Code(text if text.isprintable() and text.strip() == text and text else repr(text))


def _types_section(types: Mapping[str, str], inferred: Sequence[str]) -> Iterator[doc.Section]:
    if types:
        title = "Types of the columns"
        rows = [
            (doc.Code(name), type_, "inferred from the policy" * (name in inferred)) for name, type_ in types.items()
        ]
        yield doc.Section(title, [doc.Table(title, ("column", "type", "note"), rows)])


def _describe_privacy(privacy: Privacy) -> Iterator[doc.Block]:
    unit = doc.Bullets([f"unit: {UNIT}", f"neighbors: {NEIGHBORS}"])
    table, *details = _table_privacy(privacy.table)
    of_table = "privacy of the table, adding or removing one record"
    yield doc.Section("privacy by column", [unit, doc.Either(rich=[_columns_table(privacy)])])
    for found in privacy.columns:
        witness = () if found.witness is None else [*_witness_blocks(found.witness)]
        section = doc.Section(_column_heading(found), [doc.Bullets([*_column_reasons(found)]), *witness])
        yield doc.Either(text=[section], rich=[replace(section, blocks=witness)] if witness else [])
    yield doc.Either(
        text=[doc.Section(f"{of_table}: {table}", [doc.Bullets(details)])],
        rich=[doc.Section(of_table, [doc.Bullets([table, *details])])],
    )
    stability = privacy.stability
    lines = [_stability_line(line) for line in stability.requirements]
    yield doc.Section(f"stability: {stability_text(stability.policy)}", [doc.Bullets(lines)])
    yield doc.Section("not covered", [doc.Bullets(NOT_COVERED)])


def _columns_table(privacy: Privacy) -> doc.Table:
    rows = [
        (
            doc.Phrase(doc.code_names(found.columns)),
            str(found.verdict),
            "" if found.ratio is None else str(found.ratio),
            "" if found.epsilon is None else str(found.epsilon),
            doc.Lines(_column_reasons(found)),
        )
        for found in privacy.columns
    ]
    return doc.Table("Privacy by column", ("columns", "verdict", "E", "ε", "why"), rows)


def _column_heading(found: ColumnPrivacy) -> str:
    """`Disease: e^ε is exactly 10, ε ≤ 2.303`."""
    names = ", ".join(on_one_line(name) for name in found.columns)
    match found.verdict:
        case ColumnVerdict.EXACT:
            return f"{names}: e^ε is exactly {found.ratio}, ε ≤ {found.epsilon}"
        case ColumnVerdict.AT_MOST:
            return f"{names}: e^ε is at most {found.ratio}, ε ≤ {found.epsilon}"
        case ColumnVerdict.NONE:
            return f"{names}: no bound"
        case ColumnVerdict.UNDECIDED:
            return f"{names}: undecided"
        case _:
            assert_never(found.verdict)


def _column_reasons(found: ColumnPrivacy) -> Iterator[str]:
    if found.reason:
        yield found.reason if found.line is None else f"line {found.line}: {found.reason}"
    if found.ratio == found.seed_ratio == 1:
        yield "no output depends on it"
    elif found.seed_ratio != found.ratio:
        yield f"with the 52 bits of a seed: {found.seed_ratio}"


class _WitnessTable(NamedTuple):
    title: str
    schema: Schema
    records: Sequence[Sequence[Any]]


def _witness_blocks(witness: Witness) -> Iterator[doc.Block]:
    """The table, its neighbor and the output, without columns that have one value in all three."""
    constant, output = _constant_columns(witness), _output_heading(witness)
    tables = [("table", witness.schema, witness.records), ("neighbor", witness.schema, witness.neighbour)]
    for title, schema, records in tables:
        yield _records_table(*_without_columns(constant, _WitnessTable(title, schema, records)))
    if witness.left is None or not witness.left_schema:
        yield doc.Paragraph(output)
    else:
        yield _records_table(*_without_columns(constant, _WitnessTable(output, witness.left_schema, witness.left)))
    names = zip(("table", "neighbor"), witness.traces, strict=True)
    yield doc.Bullets([f"trace of the {name}: {', '.join(trace)}" for name, trace in names if trace])


def _constant_columns(witness: Witness) -> set[str]:
    values: defaultdict[str, set[Any]] = defaultdict(set)
    left = () if witness.left is None else witness.left
    before = (zip(witness.schema, record, strict=True) for record in (*witness.records, *witness.neighbour))
    after = (zip(witness.left_schema, record, strict=True) for record in left)
    for column, value in chain.from_iterable((*before, *after)):
        values[column.name].add(value)
    return {name for name, found in values.items() if len(found) == 1}


def _without_columns(omitted: set[str], shown: _WitnessTable) -> _WitnessTable:
    """Omit columns, unless none would be left."""
    kept = [at for at, column in enumerate(shown.schema) if column.name not in omitted]
    if not kept:
        return shown
    schema = tuple(shown.schema[at] for at in kept)
    return _WitnessTable(shown.title, schema, [[record[at] for at in kept] for record in shown.records])


def _output_heading(witness: Witness) -> str:
    """How probable the output is from each of the two tables."""
    more, less = witness.probabilities
    outcome = _NOTHING_WRITTEN if witness.left is None else "output"
    law = ", with the 52 bits of a seed" if witness.weights is Weights.SEED else ""
    return f"{outcome}: probability {more} from the table, {less or 'impossible'} from the neighbor{law}"


def _table_privacy(found: TablePrivacy | Refusal) -> Iterator[str]:
    match found:
        case Refusal(line, reason):
            place = "" if line is None else f"line {line}: "
            yield f"no (ε, δ) is claimed: {place}{reason}"
        case TablePrivacy():
            is_ = "is" if found.is_exact else "is at most"
            yield f"for ε = {_decimal_text(found.epsilon)}, δ {is_} {found.delta_shown}"
            lines = ", ".join(map(str, found.sampled))
            yield f"line {lines}: keeps a record with a probability of at most {found.beta}"
            yield f"line {found.rejects}: rejects classes of fewer than {count_text(found.k, 'record')}"
            yield f"worst for a class of {count_text(found.class_size, 'record')}, {found.direction}"
            yield f"the output must be written in canonical order: {option_text('order', 'canonical')}"
        case _:
            assert_never(found)


def _decimal_text(number: Fraction) -> str:
    return f"{float(number):g}"


def _stability_line(line: LineStability) -> str:
    return f"line {line.line}: {stability_text(line.records)}, {line.reason}"


def describe_comparison(comparison: Comparison, context: doc.Context) -> Iterator[doc.Block]:
    verdict = _EQUIVALENCE[comparison.equivalent]
    yield doc.headline("Comparison", context, f"{verdict}{_consequence(comparison)}", comparison.ok)
    yield doc.Either(
        text=[*_comparison_text(comparison, verdict, context.impact)],
        rich=[*_comparison_blocks(comparison, context.impact)],
    )


def _comparison_text(comparison: Comparison, verdict: str, impact: bool) -> Iterator[doc.Block]:
    """With `impact`, also show which guarantees are lost and what only the new policy can release."""
    tables = _difference(comparison.difference, ("before", "old", "new"))
    yield doc.Section(verdict, [doc.Bullets(_comparison_reasons(comparison)), *tables])
    sides = (comparison.old_by_new, comparison.new_by_old)
    for heading, claims in zip(_guarantee_headings(comparison), sides, strict=True):
        yield doc.Section(heading, [claim_section(replace(claim, counterexample=None)) for claim in claims])
    yield doc.Section(releases_text(comparison), [doc.Bullets(release_lines(comparison, impact))])
    if impact:
        yield from (doc.Section("no longer guaranteed", [claim_section(claim)]) for claim in comparison.impact.lost)
    yield from _inferred_types(comparison)


def _comparison_blocks(comparison: Comparison, impact: bool) -> Iterator[doc.Block]:
    """What is lost, then a table on which the policies differ, then the guarantees."""
    yield doc.Bullets(_comparison_reasons(comparison))
    yield from _claims_section("No longer guaranteed", comparison.impact.lost)
    yield from _release_blocks(comparison, impact)
    if comparison.difference is not None:
        titles = ("before", "the old policy writes", "the new policy writes")
        what = "the new policy releases more" if comparison.releases is Releases.MORE else "the policies differ"
        yield doc.Section(f"A table on which {what}", [*_difference(comparison.difference, titles)])
    kept = [claim for claim in comparison.old_by_new if claim.verdict is ClaimVerdict.PROVED]
    yield from _claims_section("Still guaranteed", kept)
    yield from _claims_section(_guarantee_headings(comparison)[1], comparison.new_by_old)
    yield from _types_section(comparison.types, comparison.inferred)


def _claims_section(title: str, claims: Sequence[Claim]) -> Iterator[doc.Section]:
    if claims:
        yield doc.Section(title, [*_claims_table(doc.as_sentence(title), claims)])


def _comparison_reasons(comparison: Comparison) -> list[str]:
    lines = comparison.reason.splitlines()
    if comparison.difference is not None:
        size = count_text(len(comparison.difference.records), "record")
        is_more = comparison.releases is Releases.MORE
        lines.append(f"{'the new one releases more' if is_more else 'they differ'} on a table of {size}")
    return lines


def _difference(difference: Difference | None, titles: tuple[str, str, str]) -> Iterator[doc.Block]:
    if difference is None:
        return
    before, *others = titles
    yield _records_table(before, difference.schema, difference.records)
    yield from _trace(difference.trace)
    for title, written in zip(others, (difference.old, difference.new), strict=True):
        schema, records = ((), None) if written is None else (written.schema, written.records)
        yield _records_table(title, schema, records)


def _guarantee_headings(comparison: Comparison) -> tuple[str, str]:
    """For the guarantees of the old policy, then of the new one."""
    return (
        f"guarantees of the old policy in the new one: {_guarantee_verdict(comparison.old_by_new)}",
        f"guarantees of the new policy in the old one: {_guarantee_verdict(comparison.new_by_old)}",
    )


def _guarantee_verdict(guarantees: tuple[Claim, ...]) -> str:
    return "none" if not guarantees else _GUARANTEE_VERDICTS[is_implied(guarantees)]


def _consequence(comparison: Comparison) -> str:
    """The change that matters most to a reviewer."""
    if comparison.equivalent:
        return ""
    lost = Counter(claim.verdict for claim in comparison.impact.lost)
    refuted, undecided = lost[ClaimVerdict.REFUTED], lost[ClaimVerdict.UNDECIDED]
    if refuted:
        return f", {count_text(refuted, 'guarantee')} of the old policy lost"
    if undecided:
        return f", {count_text(undecided, 'guarantee')} of the old policy not known to be kept"
    return f", no guarantee of the old policy lost; {releases_text(comparison)}"


def _release_blocks(comparison: Comparison, impact: bool) -> Iterator[doc.Block]:
    heading, lines = releases_text(comparison), release_lines(comparison, impact)
    yield doc.Section(heading, [doc.Bullets(lines)]) if lines else doc.Paragraph(doc.as_sentence(heading))
    for claim in comparison.impact.lost if impact else ():
        title = f"Line {claim.line} of the old policy does not hold in the new one for this table"
        yield from _counterexample_section(claim, title)


def releases_text(comparison: Comparison) -> str:
    return _RELEASES[comparison.releases]


def release_lines(comparison: Comparison, impact: bool = True) -> list[str]:
    """Why it is undecided, and with `impact` the kinds of records and values that the new policy may release."""
    found = comparison.impact
    lines = found.reason.splitlines()
    if found.released and not impact:
        return [*lines, "`--impact` shows what"]
    return [*lines, *(on_one_line(_release_text(each)) for each in found.released or ())]


def _release_text(released: Release) -> str:
    where = "" if released.certain else ", depending on other records"
    if released.column is None:
        records = released.words if released.words == "all records" else f"records with {released.words}"
        return f"{records}{where}"
    return f"`{released.column}` {released.words}{where}"
