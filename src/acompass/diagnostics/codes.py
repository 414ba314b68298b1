"""Every diagnostic's stable code, one entry a code; docs/errors has a page for each."""

CODES: dict[str, str] = {
    # AC0xx: the text of a policy
    # AC1xx: the policy against a schema
    # AC2xx: tables
    # AC3xx: engines
    # AC4xx: the call
    # AC5xx: lint
}
