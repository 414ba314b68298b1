"""The paper's examples as printed, LaTeX markup aside (D1)."""

PAPER = (
    "EACH RESULT\n : Age ≤ 80\n : REPLACE Age WITH 80;",
    "EACH FILTER Postal code > '21200' AND Postal code < '21299'\n"
    " : Postal code = '212**'\n : REPLACE Postal code WITH '212**';",
    "EACH FILTER Postal code > '21400' AND Postal code < '21499'\n"
    " : Postal code = '214**'\n : REPLACE Postal code WITH '214**';",
    "EACH FILTER Postal code > '21100' AND Postal code < '21199'\n"
    " : Postal code = '211**'\n : REPLACE Postal code WITH '211**';",
    "EACH RESULT\n : NOT (Postal code = '21410')\n : REPLACE Postal code WITH '214**' ;",
    "EACH RESULT\n : AEC ≥ 3000\n : REPLACE AEC WITH 6200;",
    "EACH RESULT\n : AEC ≥ 3000\n : RANDOM AEC 3000 4000;",
    "EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Postal Code\n : Class Size ≥ k;",
    "EACH PROCESS COUNT DISTINCT AEC AS Diversity AEC GROUP BY Age, Postal Code\n : Diversity AEC ≥ l;",
    "EACH PROCESS COUNT DISTINCT AEC AS Diversity AEC GROUP BY Age, Postal Code\n"
    " : Diversity AEC > 1\n : REJECT;",
)
