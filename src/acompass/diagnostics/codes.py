"""Every diagnostic's stable code, one entry a code; docs/errors has a page for each."""

CODES: dict[str, str] = {
    # AC0xx: the text of a policy
    # AC1xx: the policy against a schema
    "AC101": "unknown column",
    "AC102": "a name that is more than one column",
    "AC103": "a name that the condition after PROCESS does not see",
    "AC104": "the aggregate is named as a column of GROUP BY",
    "AC105": "a column twice in GROUP BY",
    "AC106": "a parameter that is not bound",
    "AC107": "a parameter that is bound and never used",
    "AC108": "a column in the place of a constant",
    "AC109": "a setting that binds no parameter",
    "AC110": "a column compared with a constant of another type",
    "AC111": "a constant that is no date, timestamp or boolean",
    "AC112": "an aggregate of values that it does not take",
    "AC113": "a number put into a boolean, date or timestamp column",
    "AC114": "RANDOM on a column that cannot hold integers",
    "AC115": "bounds of RANDOM that are no range of 64-bit integers",
    "AC116": "a number too long or too large",
    "AC117": "a column that no policy can use",
    "AC118": "a condition nested too deeply",
    "AC119": "text that is not Unicode",
    "AC120": "a number expected of a column that a REPLACE turned to text",
    # AC2xx: tables
    # AC3xx: engines
    # AC4xx: the call
    # AC5xx: lint
}
