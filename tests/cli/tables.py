"""A table of people, before and after a run."""

PEOPLE = "Name,Age,Zip\nAda,36,21101\nBob,82,21102\nEve,45,21101\n"
#: PEOPLE with ages over 80 replaced by 80
TOP_CODED = "Name,Age,Zip\nAda,36,21101\nBob,80,21102\nEve,45,21101\n"
