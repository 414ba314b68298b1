"""Apply safe fixes to the text of a policy, and discard or adjust fixes that would damage the text around them."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import Diagnostic, Edit, Fix, Span

#: the parser reports one mistake per requirement, so each further mistake in a requirement takes another round
MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class FixedText:
    text: str
    applied: int  # number of fixes


def fix_safely(text: str, diagnose: Callable[[str], Sequence[Diagnostic]]) -> FixedText:
    """Apply safe fixes until `diagnose` offers no more. The last call of `diagnose` is on the resulting text."""
    applied = 0
    for rounds in count():
        safe = (fix for diagnostic in diagnose(text) for fix in diagnostic.fixes if fix.is_safe)
        fixes = list(compatible_fixes(safe))
        if not fixes or rounds == MOST_ROUNDS:
            break
        text = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
        applied += len(fixes)
    return FixedText(text, applied)


def compatible_fixes(fixes: Iterable[Fix]) -> Iterator[Fix]:
    """The fixes that do not touch the edits of an earlier one. The others wait for the next round."""
    taken: set[int] = set()
    for fix in fixes:
        # the gaps between characters; two edits that share one have no defined order
        gaps = {gap for edit in fix.edits for gap in range(edit.span.start, edit.span.end + 1)}
        if not gaps & taken:
            taken |= gaps
            yield fix


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    parts, end = [], 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        parts += [text[end : edit.span.start], edit.text]
        end = edit.span.end
    return "".join([*parts, text[end:]])


def keep_sound_fixes(diagnostic: Diagnostic, text: str, comments: Sequence[Span]) -> Diagnostic:
    """The diagnostic without fixes that would change a comment, and with spaces around edits that would join words.

    `comments` are in the order of the text.
    """
    if not diagnostic.fixes:
        return diagnostic
    kept = [fix for fix in diagnostic.fixes if not any(_touches(edit.span, comments) for edit in fix.edits)]
    sound = (Fix(fix.title, tuple(_separate_words(edit, text) for edit in fix.edits), fix.is_safe) for fix in kept)
    return replace(diagnostic, fixes=tuple(sound))


def _touches(edited: Span, comments: Sequence[Span]) -> bool:
    index = bisect_right(comments, edited.start, key=lambda span: span.end)
    return index < len(comments) and comments[index].start < edited.end


def _separate_words(edit: Edit, text: str) -> Edit:
    """The edit with a space wherever it would join two words: `a&&b`."""
    start, end = edit.span.start, edit.span.end
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    replaced, left = text[max(end - 1, 0) : end], (edit.text or before)[-1:]
    is_apart = not (_join(left, after) or _hides_comment(left, replaced, after))
    if not edit.text:
        return edit if is_apart else Edit(edit.span, " ")
    first = " " if _join(before, edit.text[0]) else ""
    last = "" if is_apart else " "
    return Edit(edit.span, f"{first}{edit.text}{last}")


def _join(left: str, right: str) -> bool:
    """Whether two characters are read as one word, or as a doubled quote."""
    return (_is_word_character(left) and _is_word_character(right)) or (left == right and left in ("'", '"'))


def _hides_comment(left: str, replaced: str, right: str) -> bool:
    """Whether `#` or `//` is no longer read as a comment once `left` replaces the character before it."""
    return right in ("#", "/") and left.isalnum() and not replaced.isalnum()


def _is_word_character(character: str) -> bool:
    return character.isalnum() or (character != "" and character in "_.-+")
