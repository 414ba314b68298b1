"""Make visits.csv: invented visits of invented patients to a hospital, drawn with a fixed seed.

python examples/visits/make_table.py > examples/visits/visits.csv
"""

import csv
import sys
from random import Random

ZIPS = ("21201", "21202", "21205", "21210", "21215", "21224")
DIAGNOSES = ("asthma", "diabetes", "flu", "fracture", "HIV", "hypertension", "migraine")


def main() -> None:
    random = Random("visits")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["patient", "age", "sex", "zip", "diagnosis"])
    for number in range(1, 121):
        age, sex, zip_ = random.randint(18, 89), random.choice("FM"), random.choice(ZIPS)
        usual = random.choice(DIAGNOSES)
        for _ in range(random.choice((1, 1, 2, 2, 3, 4, 6, 8))):
            diagnosis = usual if random.random() < 0.7 else random.choice(DIAGNOSES)
            out.writerow([f"P{number:04}", age, sex, zip_, diagnosis])


if __name__ == "__main__":
    main()
