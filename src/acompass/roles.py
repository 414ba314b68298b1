"""What the roles of a table's columns promise about a release (D36, roles act).

No identifier is released, and every column has a role. Notes tell where the policy does not group by all
quasi-identifiers, with the size of the smallest class by them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from acompass.arguments import ROLE_NAMES
from acompass.dataclasses import dataclass, replace
from acompass.engines.protocol import Outcome
from acompass.errors.diagnostics import CallError, Diagnostic, Label, PolicyError, insert, option_text, safe
from acompass.errors.display import count_text, list_names
from acompass.language.program.effects import columns_overwritten, is_certain, kernel_of, written_by
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import Kind, Names
from acompass.language.text import tree
from acompass.language.text.tokens import spell_name
from acompass.language.text.walk import names_dropped_by, processes
from acompass.policy import Policy, TableRoles

_PERSON = "person"
_TWO_ROLES = "name it once: as an identifier, a quasi-identifier, sensitive, other or the weight"


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """Roles by the positions of a table's columns."""

    names: Names  # of all columns
    by_position: Mapping[int, str]  # in the order of the roles; a key of `roles=` each
    person: int | None

    def columns(self, role: str) -> tuple[int, ...]:
        return tuple(position for position, own in self.by_position.items() if own == role)

    @property
    def undecided(self) -> tuple[int, ...]:
        """The columns without a role, in the order of the table."""
        return tuple(position for position in range(len(self.names.texts)) if position not in self.by_position)

    def listed(self, positions: Iterable[int]) -> str:
        return list_names(self.names.texts[position] for position in positions)

    def texts(self, positions: Iterable[int]) -> list[str]:
        return [self.names.texts[position] for position in positions]


def locate_roles(roles: TableRoles, columns: Sequence[str], policy: tree.Program | None = None) -> ColumnRoles:
    """Find the columns (D3, names). A released table may lack columns that the policy drops."""
    names = Names(columns)
    dropped = set[str]() if policy is None else {name.text.casefold() for name in names_dropped_by(policy)}
    by_position, problems, person = dict[int, str](), list[Diagnostic](), None
    for role, name in _named_columns(roles):
        match find_column(names, name):
            case Diagnostic() as problem:
                if problem.code != "AC602" or name.casefold() not in dropped:
                    where = f"{problem.message} in `{role.replace('_', '-')}`"
                    problems.append(replace(problem, message=where))
            case position if role == _PERSON:
                person = position
            case position:
                if by_position.setdefault(position, role) != role:
                    problems.append(two_roles(names.texts[position]))
    if problems:
        raise CallError(problems)
    return ColumnRoles(names, by_position, person)


def _named_columns(roles: TableRoles) -> Iterator[tuple[str, str]]:
    for role, names in roles.by_name.items():
        yield from ((role, name) for name in names)
    if roles.person is not None:
        yield _PERSON, roles.person


def with_exact_names(roles: TableRoles, columns: Sequence[str]) -> TableRoles:
    """The roles with the names as the table spells them; unknown names stay as they are."""
    names = Names(columns)
    exact = {name: names.texts[found[0]] for _, name in _named_columns(roles) if len(found := names.find(name)) == 1}
    by_role = {role: tuple(exact.get(name, name) for name in found) for role, found in roles.by_name.items()}
    return TableRoles(**by_role, person=None if roles.person is None else exact.get(roles.person, roles.person))


def find_column(names: Names, name: str) -> int | Diagnostic:
    """The position of the column, or what is wrong with its name."""
    found = names.find(name)
    if len(found) == 1:
        return found[0]
    if found:
        listed = " and ".join(f"`{names.texts[position]}`" for position in found)
        return Diagnostic("AC603", f"`{name}` could be {listed}", help="use the exact spelling of one of them")
    closest = names.closest(name)
    suggestion = f"; did you mean `{closest}`?" if closest is not None else ""
    return Diagnostic("AC602", f"unknown column `{name}`", help=f"columns: {names.listing()}{suggestion}")


def two_roles(name: str) -> Diagnostic:
    message = f"column `{name}` is named twice, expected one role per column"
    return Diagnostic("AC604", message, help=_TWO_ROLES)


def require_roles(program: Program, policy: Policy, roles: TableRoles) -> None:
    """Raise if a run would release an identifier, or a column without a role."""
    problems = [*released_identifiers(program, policy, roles), *undecided_columns(program, roles)]
    if any(problem.fixes for problem in problems):
        raise PolicyError(problems, policy.text, policy.name)
    if problems:
        raise CallError(problems)


def released_identifiers(program: Program, policy: Policy, declared: TableRoles) -> list[Diagnostic]:
    """One finding for all identifiers that no ALWAYS line drops or overwrites.

    GENERALIZE is not enough, because a label depends on the value: the prefix of a name is a part of it. Nor is SHIFT,
    ADD RANDOM or MICROAGGREGATE. A pseudonym is: only the key tells what it stands for.
    """
    roles = _locate_in(program, declared)
    gone = {column for requirement in program.requirements for column in columns_overwritten(requirement)}
    kept = [position for position in roles.columns("identifiers") if position not in gone]
    if not kept:
        return []
    noun, them = ("identifier", "it") if len(kept) == 1 else ("identifiers", "them")
    message = f"{noun} {roles.listed(kept)} would be released: no `ALWAYS` line drops or overwrites {them}"
    line = f"ALWAYS : DROP {', '.join(map(spell_name, roles.texts(kept)))};"
    start = "" if policy.text.endswith("\n") or not policy.text else "\n"
    fixes = safe(f"add `{line}`", insert(len(policy.text), f"{start}{line}\n"))
    return [Diagnostic("AC413", message, tuple(_partial_writes(program, kept)), f"add `{line}`", fixes=fixes)]


def _partial_writes(program: Program, columns: Sequence[int]) -> Iterator[Label]:
    """The actions that write one of the columns and still leave something of it."""
    for requirement in program.requirements:
        action = requirement.action
        if action is not None and action.span is not None and not written_by(action).isdisjoint(columns):
            yield Label(action.span, _what_is_left(requirement))


def _what_is_left(requirement: Requirement) -> str:
    kernel = kernel_of(requirement.action)
    if kernel is not None and kernel.reads_value and not kernel.hides_value:
        return f"the {kernel.noun} depends on the value"
    if not is_certain(requirement.action):
        return "some records keep their value, by chance"
    return "records that satisfy the assertion keep their value"


def _locate_in(program: Program, declared: TableRoles) -> ColumnRoles:
    return locate_roles(declared, [column.name for column in program.schema])


def undecided_columns(program: Program, declared: TableRoles) -> list[Diagnostic]:
    """One finding for all columns without a role."""
    roles = _locate_in(program, declared)
    undecided = roles.undecided
    if not undecided:
        return []
    listed = roles.listed(undecided)
    message = f"column {listed} has no role" if len(undecided) == 1 else f"columns without a role: {listed}"
    help_ = f"give each column a role, for example `{_role_settings(roles, undecided)}`"
    return [Diagnostic("AC414", message, help=help_)]


def _role_settings(roles: ColumnRoles, undecided: Sequence[int]) -> str:
    """All roles of the table, with the role `other` for the undecided columns, but not for that of the persons."""
    added = {position: "identifiers" if position == roles.person else "other" for position in undecided}
    by_position = {**roles.by_position, **added}
    changed = [role for role in ROLE_NAMES if role in added.values()]
    found = {role: [p for p, own in by_position.items() if own == role] for role in ROLE_NAMES}
    complete = {role: roles.texts(positions) for role, positions in found.items() if positions}
    return option_text("roles", complete, changed)


def undecided_note(roles: ColumnRoles) -> str | None:
    undecided = roles.undecided
    if not undecided:
        return None
    noun = "column" if len(undecided) == 1 else "columns"
    return f"{noun} without a role, which `run` would refuse: {roles.listed(undecided)}"


def grouping_note(
    roles: ColumnRoles, columns: Sequence[int], policy: tree.Program, smallest: Callable[[], str | None]
) -> str | None:
    """Tell if no GROUP BY of the policy has exactly the quasi-identifiers, which are `columns` in the table that is
    described. `smallest` finds the size of its smallest class by them, None if it is unknown."""
    grouped = list(_grouped_columns(roles.names, policy))
    declared = set(roles.columns("quasi_identifiers"))
    if not columns or any(set(each) in (declared, set(columns)) for each in grouped):
        return None
    by = " and by ".join(roles.listed(each) for each in dict.fromkeys(grouped) if each)
    how = f"the policy groups by {by}" if by else "the policy has no GROUP BY"
    are = "quasi-identifier is" if len(columns) == 1 else "quasi-identifiers are"
    size = smallest()
    classes = "" if size is None else f": classes by all quasi-identifiers have at least {size}"
    return f"{how}; the {are} {roles.listed(columns)}{classes}"


def size_text(outcome: Outcome, roles: ColumnRoles, columns: Sequence[int]) -> str | None:
    """The size of the smallest class of a run's or a check's table, in persons if it still has their column."""
    left = outcome.left
    if not left.records or any(left.schema[position].type.kind is Kind.OPAQUE for position in columns):
        return None
    from acompass.plan.run.queries import smallest_class

    person = roles.person if roles.person in left.kept_columns else None
    size = smallest_class(outcome.context.session, left, columns, person)
    return count_text(size, "record" if person is None else "person")


def _grouped_columns(names: Names, policy: tree.Program) -> Iterator[tuple[int, ...]]:
    for process in processes(policy):
        found = (names.find(name.text) for name in process.group_by)
        yield tuple(sorted({position for positions in found for position in positions}))
