"""Ask how long short commands take to start: `python -m benchmarks.startup`, on an idle machine.

Print the ratios, write their rows into docs/performance.md, and exit with 1 if a target is missed.
"""

from benchmarks.performance import main
from benchmarks.questions import start_up

if __name__ == "__main__":
    raise SystemExit(main([question.name for question in start_up.QUESTIONS]))
