"""Privacy models and risk measures of a table: one pass in the engine, exact to the last digit."""

from acompass.measure.result import Classes, Comparison, Journalist, Measures, Sensitive

__all__ = ["Classes", "Comparison", "Journalist", "Measures", "Sensitive"]
