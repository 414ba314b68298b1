"""The hierarchy editor: a column's values and proposals, what groups hold, and hierarchy files."""

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from http import HTTPStatus
from typing import Any, assert_never

from acompass.assist.studio.answers.opening import require_shown
from acompass.assist.studio.answers.release import write_beside
from acompass.assist.studio.grouping import (
    MOST_VALUES,
    Coverage,
    Group,
    OwnLine,
    Subject,
    checked_maps,
    cover,
    parse_draft,
    place_line,
    project_spec,
    read_file,
    step_text,
)
from acompass.assist.studio.messages import Refused, diagnostics_json, edits_json
from acompass.assist.studio.question import Ask, about_text
from acompass.dataclasses import replace
from acompass.language.program.hierarchies import Hierarchy, Problem, hierarchy_text, parse_hierarchy
from acompass.language.program.kernels import Map
from acompass.language.program.label_maps import Level
from acompass.language.text import tree
from acompass.language.text.formatter import format_map
from acompass.measure.hierarchy import ByBands, ByDate, ByFile, ByPrefix, invalid_sizes, is_number, levels_of_file, rows
from acompass.measure.levels import (
    band_widths,
    choose,
    cuts_of_equal_count,
    cuts_of_equal_width,
    map_constants,
    prefix_lengths,
    round_width,
)

#: a preview lists this many groups, and this many values without a group
MOST_LISTED = 200
#: a preview names this many values of a group
_EXAMPLES = 5
#: about this many bars of a histogram
_BARS = 40
_FILE = ".csv"


# the editor's first question


def describe_hierarchy(ask: Ask) -> dict[str, Any]:
    subject = Subject.of(ask)
    texts = subject.texts
    distinct = len(texts.counts)
    listed = subject.shows_values and not subject.is_wide
    return {
        "diagnostics": [],
        "hierarchy": {
            "column": subject.column,
            "form": subject.form,
            "distinct": distinct,
            "records": sum(texts.counts.values()),
            "missing": texts.missing,
            "most": MOST_VALUES,
            "values": _listed_values(subject) if listed else None,
            "histogram": _histogram(subject) if subject.shows_values else None,
            "integer": subject.has_only_integers,
            "numeric": 2 * len(subject.numbers) > distinct,
            "lines": [_line(ask, each) for each in subject.lines],
            "own": _own_spec(ask, subject.column),
            "proposal": _proposal(subject),
            "files": _hierarchy_files(ask),
        },
    }


def _listed_values(subject: Subject) -> list[dict[str, Any]]:
    return [{"text": text, "records": subject.texts.counts[text]} for text in subject.ordered_texts]


def _histogram(subject: Subject) -> dict[str, Any] | None:
    """Bars of one round width."""
    numbers = subject.numbers
    if len(numbers) < 2 or subject.form == "code":
        return None
    width = round_width(max(numbers) - min(numbers), _BARS, subject.has_only_integers)
    counts: Counter[Decimal] = Counter()
    for value, count in numbers.items():
        counts[value // width - (value < 0 and value % width != 0)] += count
    first, last = min(counts), max(counts)
    bars = [counts[first + place] for place in range(int(last - first) + 1)]
    return {
        "start": f"{first * width:f}",
        "width": f"{width:f}",
        "bars": bars,
        "lowest": f"{min(numbers):f}",
        "highest": f"{max(numbers):f}",
    }


def _line(ask: Ask, found: OwnLine) -> dict[str, Any]:
    span = found.generalize.span
    line, _ = ask.document.source.position(span.start)
    text = " ".join(ask.document.text[span.start : span.end].split())
    return {"line": line, "text": text, "always": found.is_always, "spec": map_constants(found.generalize.map)}


def _own_spec(ask: Ask, column: str) -> dict[str, Any] | None:
    """The hierarchy of the project, in the form that the editor has."""
    match project_spec(ask.project, column):
        case None:
            return None
        case ByBands(widths):
            listed = [f"{width:f}" for width in widths]
            return {"kind": "bands", "widths": listed, "from": None, "up_to": None, "level": 1}
        case ByPrefix(lengths):
            return {"kind": "prefix", "lengths": [f"{length}" for length in lengths], "level": 1}
        case ByDate():
            return {"kind": "dates", "units": list(tree.DateUnit), "level": 1}
        case ByFile(path):
            return {"kind": "file", "file": path, "level": 1, "otherwise": None}
        case found:
            assert_never(found)


def _proposal(subject: Subject) -> dict[str, Any]:
    match subject.form:
        case "number" if len(subject.numbers) > 1:
            return _proposed_bands(subject.with_points)
        case "code" if len(lengths := set(map(len, subject.texts.counts))) == 1:
            (longest,) = lengths
            return {"kind": "prefix", "lengths": [f"{length}" for length in prefix_lengths(longest)], "level": 1}
        case "date":
            return {"kind": "dates", "units": ["MONTH", "QUARTER", "YEAR", "DECADE"], "level": 1}
        case "text" if (end := _open_end(subject)) is not None:
            bands = _proposed_bands(subject.with_points)
            fitting = [width for width in bands["widths"] if Decimal(end) % Decimal(width) == 0]
            return {**bands, "widths": fitting or bands["widths"][:1], "up_to": end}
        case "number" | "code" | "text":
            return {"kind": "groups", "level": 1}
        case _:
            assert_never(subject.form)


def _open_end(subject: Subject) -> str | None:
    """The number of the only text among numbers if that is an open band, such as `90+`."""
    others = [text for text in subject.with_points.texts.counts if not is_number(text)]
    if len(others) != 1 or len(subject.numbers) < 2:
        return None
    found = _OPEN_END.fullmatch(others[0])
    return None if found is None or Decimal(found[1]) <= max(subject.numbers) else found[1]


_OPEN_END = re.compile(r"([0-9]{1,18})\+", re.ASCII)


def _proposed_bands(subject: Subject) -> dict[str, Any]:
    """Widths that `suggest` would search, or a single one where the column also has other values."""
    ends = {"from": None, "up_to": None, "level": 1}
    texts = () if subject.is_wide else tuple(filter(is_number, subject.values.texts))
    if texts and choose(replace(subject.values, texts=texts)).kind == "numbers":
        return {"kind": "bands", "widths": [f"{width:f}" for width in band_widths(texts)], **ends}
    width = round_width(max(subject.numbers) - min(subject.numbers), _BARS // 2, subject.has_only_integers)
    return {"kind": "bands", "widths": [f"{width:f}"], **ends}


def _hierarchy_files(ask: Ask) -> list[str]:
    """The CSV files in the policy's folder that may be hierarchies: all but the table."""
    table = ask.project.start.table
    found = (path.name for path in ask.project.file.folder.glob(f"*{_FILE}") if path.is_file())
    return sorted(name for name in found if not table.endswith(name))[:MOST_LISTED]


# boundaries for bands


def find_cuts(ask: Ask) -> dict[str, Any]:
    """The boundaries of bands of equal width or of equal count: they may be values, and give the lowest and highest."""
    require_shown(ask.project)
    subject, bands = Subject.of(ask), ask.body.number("bands")
    numbers = subject.numbers
    if not 2 <= bands <= MOST_LISTED:
        raise invalid_sizes(f"{bands:,} is not a possible number of bands", f"use 2 to {MOST_LISTED} bands")
    if len(numbers) < 2:
        raise invalid_sizes(f"column `{subject.column}` has fewer than two numbers", "group its values instead")
    if ask.body.text("by") == "count":
        cuts = cuts_of_equal_count(numbers, bands)
    else:
        cuts = cuts_of_equal_width(min(numbers), max(numbers), bands, subject.has_only_integers)
    return {"diagnostics": [], "cuts": [f"{cut:f}" for cut in cuts]}


def preview_hierarchy(ask: Ask) -> dict[str, Any]:
    subject = Subject.of(ask)
    draft = parse_draft(subject)
    maps = checked_maps(subject, draft)
    levels = [cover(map_, subject) for map_ in maps]
    shown = levels[draft.level - 1]
    placement = None if shown.uncovered else place_line(subject, draft)
    return {
        "diagnostics": [] if placement is None else diagnostics_json(placement.problems, None),
        "preview": {
            "groups": [_group(each) for each in shown.groups[:MOST_LISTED]] if subject.shows_values else None,
            "count": len(shown.groups),
            "smallest": None if shown.smallest is None else shown.smallest.records,
            "single": sum(group.records == 1 for group in shown.groups),
            "levels": [_level_summary(each) for each in levels],
            "uncovered": _some_values(subject, shown.uncovered),
            "others": _some_values(subject, shown.others),
            "line": step_text(subject.column, format_map(draft.map)),
            "edits": None if placement is None or placement.problems else edits_json(placement.edits, ask.offsets),
            "notes": [] if placement is None else list(placement.notes),
            "search": draft.search,
        },
    }


def _level_summary(found: Coverage) -> dict[str, Any]:
    return {
        "groups": len(found.groups),
        "smallest": None if found.smallest is None else found.smallest.records,
        "uncovered": len(found.uncovered),
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "label": group.label,
        "records": group.records,
        "values": len(group.texts),
        "examples": group.texts[:_EXAMPLES],
    }


def _some_values(subject: Subject, texts: Sequence[str]) -> dict[str, Any]:
    counts = subject.texts.counts
    return {
        "values": len(texts),
        "records": sum(counts[text] for text in texts),
        "texts": list(texts[:MOST_LISTED]) if subject.shows_values else None,
    }


# files


def save_hierarchy(ask: Ask) -> dict[str, Any]:
    """Write all levels to a file in the policy's folder, in the form that `acompass hierarchy` and ARX write."""
    subject, file = Subject.of(ask), ask.body.text("file")
    if not file.lower().endswith(_FILE):
        raise invalid_sizes(f"`{file}` is not the name of a hierarchy file", f"use a name that ends in `{_FILE}`")
    draft = parse_draft(subject)
    maps = checked_maps(subject, draft)
    content = next(iter(draft.files.values()), None) or _file_of_maps(subject, maps)
    write_beside(ask.project, {file: content}, ask.body.flag("replace"), keep=False)
    search = levels_of_file(ask.project.path_in_settings(file))
    return {"diagnostics": [], "saved": {"file": file, "levels": _width(content) - 1, "search": search}}


def _file_of_maps(subject: Subject, maps: Sequence[Map]) -> bytes:
    found = rows(subject.values, maps, "values that every level has a label for")
    return hierarchy_text(tuple(map(subject.spell_for_file, row)) for row in found).encode()


def _width(content: bytes) -> int:
    found = parse_hierarchy(content)
    return found.width if isinstance(found, Hierarchy) else 0


def load_hierarchy(ask: Ask) -> dict[str, Any]:
    """A hierarchy file from the policy's folder or from the browser, and how it fits the column."""
    subject = Subject.of(ask)
    is_sent = ask.body.has("content")
    data = _decode(ask.body.text("content")) if is_sent else read_file(ask, ask.body.text("file"))
    content, encoding = _in_utf8(ask, data)
    found = parse_hierarchy(content)
    if not isinstance(found, Hierarchy):
        return _not_loaded([_problem(subject, each) for each in found[:MOST_LISTED]])
    coverage = cover(Level(found, 1), subject)
    known = subject.texts.counts
    listed = found.rows
    if is_sent and len(listed) > MOST_VALUES:  # such as a catalog of all diagnoses
        listed = tuple(row for row in listed if row[0] in known)
    is_listed = subject.shows_values and len(listed) <= MOST_VALUES
    if not is_listed and (is_sent or encoding is not None):
        why = "it has too many values" if subject.shows_values else "turn on “Show values” to load it"
        place = "" if is_sent else " that is not in UTF-8"
        return _not_loaded([{"lines": [], "message": f"a file{place} is loaded by its values: {why}"}])
    loaded = {
        "problems": [],
        "values": len(found.rows),
        "levels": found.levels,
        "rows": [list(row) for row in listed] if is_listed else None,
        "uncovered": _some_values(subject, coverage.uncovered),
        "unused": sum(row[0] not in known for row in found.rows),
        "encoding": encoding,
    }
    return {"diagnostics": [], "loaded": loaded}


def _not_loaded(problems: list[dict[str, Any]]) -> dict[str, Any]:
    return {"diagnostics": [], "loaded": {"problems": problems, "rows": None}}


def _decode(content: str) -> bytes:
    try:
        return b64decode(content, validate=True)
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST, "`content` is not base64") from None


def _in_utf8(ask: Ask, data: bytes) -> tuple[bytes, str | None]:
    """The same text in UTF-8, and its encoding if that is another one: that of the table, or of Windows in the West."""
    for encoding in ("utf-8", ask.project.reading.get("encoding") or _WINDOWS, _WINDOWS):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text.encode(), None if encoding == "utf-8" else encoding
    return data, None


_WINDOWS = "cp1252"


def _problem(subject: Subject, problem: Problem) -> dict[str, Any]:
    """Without labels unless values are shown: the file may be a table of people."""
    return {"lines": sorted(problem.lines), "message": problem.message if subject.shows_values else problem.kind}


QUESTIONS = {
    "hierarchy": about_text(describe_hierarchy, hierarchy=None),
    "hierarchy/cuts": about_text(find_cuts, cuts=[]),
    "hierarchy/preview": about_text(preview_hierarchy, preview=None),
    "hierarchy/save": about_text(save_hierarchy, saved=None),
    "hierarchy/load": about_text(load_hierarchy, loaded=None),
}
