"""The questions, one per file, in the order of the table."""

from benchmarks.questions import (
    anjana,
    bare_copy,
    growth,
    hand_written_frames,
    k_check,
    k_l_reject,
    memory,
    postgres,
    pycanon,
    rules,
    session,
    spark,
    start_up,
    statements,
    tangled,
)

QUESTIONS = (
    k_check.QUESTION,
    k_l_reject.QUESTION,
    rules.QUESTION,
    bare_copy.QUESTION,
    statements.QUESTION,
    hand_written_frames.POLARS,
    hand_written_frames.PANDAS,
    pycanon.QUESTION,
    anjana.QUESTION,
    growth.QUESTION,
    tangled.BY_HAND,
    tangled.GROWTH,
    start_up.QUESTION,
    session.QUESTION,
    memory.QUESTION,
    postgres.QUESTION,
    spark.QUESTION,
)
