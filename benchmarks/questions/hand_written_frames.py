"""How much slower is the same policy written by hand for a data frame library?"""

import random

import acompass
from benchmarks.data import people
from benchmarks.policies import bounds, full
from benchmarks.question import Answer, Question, Setting, at_least, ratio

#: a table that pandas can hold easily
MOST_PANDAS = 1_000_000


def _in_polars(table: str, output: str) -> None:
    import polars as pl

    zip_ = pl.col("zip")
    rules = pl.when(False).then(pl.lit(None, dtype=pl.String))
    for low, high, group in bounds(100):
        rules = rules.when((zip_ >= low) & (zip_ <= high)).then(pl.lit(group))
    drawn = pl.int_range(pl.len()).hash(seed=1) % 401 + 600
    generalized = pl.scan_parquet(table).with_columns(
        pl.col("age").clip(upper_bound=80),
        rules.otherwise(zip_).alias("zip"),
        pl.when(pl.col("aec") < 600).then(drawn.cast(pl.Int64)).otherwise(pl.col("aec")).alias("aec"),
    )
    classes = ["age", "zip"]
    kept = generalized.filter(pl.len().over(classes) >= 3)
    kept.filter(pl.col("disease").n_unique().over(classes) >= 3).sink_parquet(output)


def _in_pandas(table: str, output: str) -> None:
    import pandas as pd

    people_ = pd.read_parquet(table)
    people_["age"] = people_["age"].clip(upper=80)
    for low, high, group in bounds(100):
        people_.loc[people_["zip"].between(low, high), "zip"] = group
    low_aec = people_["aec"] < 600
    people_.loc[low_aec, "aec"] = [random.randint(600, 1000) for _ in range(low_aec.sum())]
    people_ = people_[people_.groupby(["age", "zip"])["id"].transform("size") >= 3]
    people_ = people_[people_.groupby(["age", "zip"])["disease"].transform("nunique") >= 3]
    people_.to_parquet(output)


def _ask_polars(setting: Setting) -> Answer:
    import polars

    return _ask(setting, setting.records, _in_polars, f"Polars {polars.__version__}")


def _ask_pandas(setting: Setting) -> Answer:
    import pandas

    return _ask(setting, min(setting.records, MOST_PANDAS), _in_pandas, f"pandas {pandas.__version__}")


def _ask(setting, records, by_hand, peer) -> Answer:
    table = people(setting.folder, records)
    ours, theirs = str(setting.folder / "ours.parquet"), str(setting.folder / "theirs.parquet")
    policy = acompass.parse(full())
    value = ratio(
        lambda: by_hand(table, theirs),
        lambda: acompass.run(policy, table, output=ours, seed="benchmark"),
        times=2,
    )
    return Answer(value, "×", f"{peer}, {records:,} records")


POLARS = Question("Polars", "the same policy by hand in Polars / ours", "> 1", at_least(1), _ask_polars)
PANDAS = Question("pandas", "the same policy by hand in pandas / ours", "> 1", at_least(1), _ask_pandas)
