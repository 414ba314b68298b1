"""Interrupt real runs at random moments, and count those that hang, leave files or exit with a wrong code.

python -m tests.cli.interrupts_campaign --times 1000 --load
python -m tests.cli.interrupts_campaign --times 1000 --load --unsupervised"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
SUPERVISED = "from acompass.cli import main; main()"
UNSUPERVISED = "from acompass.cli.app import start; start()"
ARGUMENTS = ["run", "policy.acp", "people.csv", "-o", "out.csv", "--quiet"]
KEPT = {"people.csv", "policy.acp", "temporary"}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def main() -> None:
    options = _options()
    for each in SIGNALS:  # a shell makes background jobs ignore some signals, and the runs would inherit that
        signal.signal(each, signal.default_int_handler)
    chance = random.Random(options.seed)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * options.load)]
    counts: Counter[str] = Counter()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            _fill(folder, options.records)
            for number in range(1, options.times + 1):
                counts.update(_interrupt(folder, options, chance))
                if number % 20 == 0:
                    print(f"{number}: {_summary(counts)}", flush=True)
    finally:
        for each in busy:
            each.kill()
    print(_summary(counts))
    sys.exit(any(counts[fault] for fault in ("hung", "left files", "wrong code")))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--records", type=int, default=400_000)
    parser.add_argument("--seconds", type=float, default=10, help="report a run that takes longer to end as hung")
    parser.add_argument("--longest", type=float, default=1, help="most seconds from the start of writing to the signal")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--load", action="store_true", help="run two busy loops at the same time")
    parser.add_argument("--unsupervised", action="store_true", help="run the command without its supervisor")
    return parser.parse_args()


def _fill(folder: Path, records: int) -> None:
    (folder / "temporary").mkdir()
    (folder / "policy.acp").write_text(POLICY)
    rows = "".join(f"{i % 100},{i:032x}\n" for i in range(records))
    (folder / "people.csv").write_text(f"Age,Key\n{rows}")


def _interrupt(folder: Path, options: argparse.Namespace, chance: random.Random) -> list[str]:
    """Interrupt one run, usually while it writes, and return the outcome."""
    sign = chance.choice(SIGNALS)
    ran = subprocess.Popen(
        [sys.executable, "-c", UNSUPERVISED if options.unsupervised else SUPERVISED, *ARGUMENTS],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "temporary")},
        stderr=subprocess.PIPE,
    )
    while_it_writes = chance.random() < 0.8
    while while_it_writes and ran.poll() is None and not _parts(folder):
        time.sleep(0.01)
    time.sleep(chance.random() * options.longest)
    ran.send_signal(sign)
    try:
        ran.communicate(timeout=options.seconds)
        hung = []
    except subprocess.TimeoutExpired:
        hung = ["hung", *["left files"] * bool(_remaining_files(folder)), *["idle when hung"] * _is_idle(ran.pid)]
        ran.kill()
        ran.communicate()
    found = ["runs", *(hung or _verdict(folder, ran.returncode, sign))]
    _clean(folder)
    return found


def _verdict(folder: Path, code: int, sign: signal.Signals) -> list[str]:
    left = ["left files"] * bool(_remaining_files(folder))
    if code == 0 and (folder / "out.csv").exists():
        return ["ended before the signal", *left]
    if code == -sign:  # Python had not yet started the command; shells show 128 and the signal's number
        return ["interrupted before the command started", *left]
    return ["interrupted" if code == 128 + sign else "wrong code", *left]


def _is_idle(process: int) -> bool:
    """Whether a process uses no CPU time for two seconds: it hangs, and is not merely slow."""
    before = _ticks(process)
    time.sleep(2)
    return _ticks(process) == before


def _ticks(process: int) -> int:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _parts(folder: Path) -> list[Path]:
    return list(folder.glob(".out.csv.*"))


def _remaining_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name not in KEPT | {"out.csv"}]


def _clean(folder: Path) -> None:
    for path in sorted(_remaining_files(folder), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (folder / "out.csv").unlink(missing_ok=True)


def _summary(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())


if __name__ == "__main__":
    main()
