"""A document has what can be known of its text, whether it parses or not."""

from acompass.assist.document import Document

BROKEN = "EACH RESULT : Age <= 80 : REJECT;\nEACH RESULT Age;\nALWAYS : DROP Name;\n"


def test_a_text_that_parses() -> None:
    document = Document("EACH RESULT : Age <= 80;")
    assert document.policy is not None
    assert document.syntax_errors == ()
    assert document.program is document.policy.tree


def test_what_parses_of_a_text_that_does_not() -> None:
    document = Document(BROKEN, "folder/policy.acp")
    assert document.policy is None
    assert [error.code for error in document.syntax_errors] == ["AC026"]
    assert len(document.program.requirements) == 2
    assert document.program.folder == "folder"
    assert document.requirement_at(BROKEN.index("DROP")) is document.program.requirements[1]
    assert document.requirement_at(BROKEN.index("Age;")) is None


def test_the_papers_language_alone() -> None:
    document = Document("ALWAYS : DROP Name;", paper=True)
    assert [error.code for error in document.syntax_errors] == ["AC060", "AC060"]


def test_words_are_read_as_the_parser_reads_them() -> None:
    core, beyond = Document("EACH RESULT : always = k;\nALWAYS : GENERALIZE a TO YEAR;").read_tokens
    assert [token.type for token in core[3:6]] == ["WORD", "OPERATOR", "PARAMETER"]
    assert [token.type for token in beyond[:5]] == ["ALWAYS", "COLON", "GENERALIZE", "WORD", "TO"]


def test_a_table_in_place_of_a_policy() -> None:
    document = Document("age,zip\n30,21201\n31,21202\n")
    assert [error.code for error in document.syntax_errors] == ["AC408"]
    assert document.policy is None
