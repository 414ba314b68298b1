/** The table's records, and the role of each column: proposed with a reason, never assigned without the user. */

import { signal } from "@preact/signals";
import { chosenColumn, diagnosis, empty, recordsArrived, shownColumn, table, templates } from "../answers";
import { post, type Column, type PersonProposal, type Role, type Roles, type Template } from "../api";
import { insertRequirement } from "../editor/holder";
import { announce } from "../live";
import { ColumnDetail } from "../panels/column";
import { Asked } from "../parts/asked";
import { Explained } from "../parts/explained";
import { Grid, type GridColumn } from "../parts/grid";
import { Prose } from "../parts/prose";
import { DataTable, Num } from "../parts/table";
import { markEach, markPerson, markRole, ROLES, roleOf, undecided } from "../roles";
import { epoch, opened, roles, showRecords } from "../state";
import { count, countNoun, kindText, plain, share, someNames } from "../words";

export function ColumnsStep() {
  const found = table.value.value;
  const names = opened.value?.table.columns ?? [];
  return (
    <>
      <section aria-labelledby="columns-title">
        <h2 id="columns-title">
          {countNoun(names.length, "column")} of {countNoun(found?.records ?? opened.value?.table.records ?? 0, "record")}
        </h2>
        <p class="about">
          Mark the columns that could identify someone. <Explained word="identifier">Identifiers</Explained> identify a person
          directly, <Explained word="quasi-identifier">quasi-identifiers</Explained> in combination; <Explained word="sensitive" /> columns contain attributes that must stay confidential. Once a column has a role, a release needs one for every
          column; <em>other</em> is for columns that are none of these.
        </p>
        {found !== null && <Proposed columns={found.columns} person={found.person} />}
        <Undecided columns={undecided.value} />
        <Identifiers />
        <Records names={names} found={found?.columns ?? []} />
      </section>
      <Asked diagnostics={undefined} failure={table.failure.value} waiting={found === null}>
        {found !== null && <Columns columns={found.columns} person={found.person} records={found.records} />}
        <Templates found={templates.value.value?.templates ?? []} />
      </Asked>
    </>
  );
}

type Found = { columns: Column[]; person: PersonProposal | null; records: number };

function Columns({ columns, person, records }: Found) {
  const chosen = columns.find(({ name }) => name === shownColumn.value);
  return (
    <>
      {chosen !== undefined && <ColumnDetail column={chosen} columns={columns} records={records} />}
      <section aria-labelledby="roles-title">
        <h2 id="roles-title">Roles and proposals</h2>
        <PersonChoice columns={columns} proposed={person} />
        <DataTable
          quiet
          caption="Columns with their roles"
          head={["Column", "Role", "Proposal", "Kind", { title: "Missing", number: true }, { title: "Values", number: true }]}
        >
          {columns.map((column) => (
            <ColumnRow column={column} records={records} />
          ))}
        </DataTable>
      </section>
    </>
  );
}

/** the roles once all proposals were accepted */
const acceptance = signal<{ after: Roles; accepted: number } | null>(null);

function Proposed({ columns, person }: { columns: Column[]; person: PersonProposal | null }) {
  const open = columns.filter(({ name }) => roleOf(name) === "none");
  const accept = () => {
    void markEach(
      open.map(({ name, proposal }) => [name, proposal.role]),
      roles.value.person === null ? (person?.column ?? null) : null,
    );
    acceptance.value = { after: roles.value, accepted: open.length };
    announce(`Accepted ${countNoun(open.length, "proposal")}`);
  };
  if (open.length === 0) return <Accepted />;
  const guesses = open.filter(({ proposal }) => proposal.is_guess).length;
  return (
    <div class="banner acted row">
      <span>
        Proposed for {countNoun(open.length, "column")} without a role: {listRoles(open)}
        {person !== null && roles.value.person === null && `; ${person.column} tells persons apart`}.{" "}
        {guesses > 0 && `${countNoun(guesses, "proposal")} ${guesses === 1 ? "is a guess" : "are guesses"}: read the reasons below.`}
      </span>
      <button type="button" class="primary" onClick={accept}>
        Accept all proposals
      </button>
    </div>
  );
}

/** Shown until a role is changed. */
function Accepted() {
  const last = acceptance.value;
  if (last === null || last.after !== roles.value) return null;
  return (
    <p class="banner good">
      ✓ {countNoun(last.accepted, "proposal")} accepted. Check the reasons below, and change what is wrong; <em>Undo</em> reverts all of them.
    </p>
  );
}

function listRoles(columns: Column[]): string {
  const counts = ROLES.map((role) => [role, columns.filter(({ proposal }) => proposal.role === role).length] as const);
  return counts
    .filter(([, number]) => number > 0)
    .map(([role, number]) => `${count(number)} as ${role}`)
    .join(", ");
}

function Undecided({ columns }: { columns: string[] }) {
  if (columns.length === 0) return null;
  return (
    <div class="banner open row" role="status">
      <span>
        △ {countNoun(columns.length, "column")} without a role: <strong>{someNames(columns)}</strong>. A release needs a role for each of them.
      </span>
      <button type="button" class="small" onClick={() => void markRole(columns, "other")}>
        Mark as other
      </button>
    </div>
  );
}

/** the code of a policy that would release an identifier */
const RELEASED = "AC413";

function Identifiers() {
  // the column of persons is dropped by the last line of a search: those before it count persons
  const names = roles.value.identifiers.filter((name) => name !== roles.value.person);
  const drop = (templates.value.value?.templates ?? []).find(({ key }) => key === "drop-identifiers");
  const isReleased = empty.value || (diagnosis.value.value?.diagnostics ?? []).some(({ code }) => code === RELEASED);
  if (names.length === 0 || drop === undefined || !isReleased) return null;
  return (
    <div class="banner open row" role="status">
      <span>
        △ <strong>{names.join(", ")}</strong> {names.length === 1 ? "identifies" : "identify"} persons directly: a release must drop or pseudonymize
        {names.length === 1 ? "it" : "them"}.
      </span>
      <button type="button" class="small" onClick={() => insert(drop)}>
        Drop identifiers
      </button>
    </div>
  );
}

const HEAD_HEIGHT = 5.5;

async function fetchRows(first: number, number: number, signal: AbortSignal): Promise<(string | null)[][]> {
  try {
    return (await post("rows", { first, count: number }, signal)).rows;
  } finally {
    recordsArrived.value = true;
  }
}

/** Before the facts about the columns arrive, their names and records are shown. */
function Records({ names, found }: { names: string[]; found: Column[] }) {
  const known = new Map(found.map((column) => [column.name, column]));
  return (
    <Grid
      label="Records"
      columns={names.map((name) => gridColumn(name, known.get(name)))}
      rows={opened.value?.table.records ?? 0}
      source={`${opened.value?.project} ${epoch.value}`}
      fetch={fetchRows}
      hidden={showRecords.value ? null : "While Show values is off, the page receives no record."}
      headHeight={HEAD_HEIGHT}
      selected={shownColumn.value}
      onSelect={(name) => void (chosenColumn.value = name)}
    />
  );
}

const gridColumn = (name: string, known: Column | undefined): GridColumn => ({
  key: name,
  title: name,
  number: known?.form === "number",
  head: () => (
    <>
      <span class="title" title={name}>
        {name}
      </span>
      <span class="kind">{known === undefined ? "…" : kindText(known)}</span>
      <select
        tabIndex={-1}
        class={roleOf(name) === "none" ? "undecided" : ""}
        aria-label={`Role of ${name}`}
        value={roleOf(name)}
        onChange={(event) => void markRole([name], event.currentTarget.value as Role)}
      >
        {ROLES.map((role) => (
          <option value={role}>{role === "none" ? "no role" : role}</option>
        ))}
      </select>
    </>
  ),
});

/** The details are above the table. */
function showDetail(name: string): void {
  chosenColumn.value = name;
  document.getElementById("column-title")?.focus();
}

function ColumnRow({ column, records }: { column: Column; records: number }) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" onClick={() => showDetail(column.name)}>
          {column.name}
        </button>
      </th>
      <td>{roleOf(column.name) === "none" ? "–" : roleOf(column.name)}</td>
      <td>
        <ProposalCell column={column} />
      </td>
      <td>{kindText(column)}</td>
      <Num>{column.missing === 0 ? "none" : `${count(column.missing)} (${share(column.missing / Math.max(records, 1))})`}</Num>
      <Num>{count(column.distinct)}</Num>
    </tr>
  );
}

function ProposalCell({ column: { name, proposal } }: { column: Column }) {
  const role = roleOf(name);
  return (
    <>
      {role !== proposal.role && <strong>{proposal.role}</strong>}{" "}
      <small>
        {proposal.is_guess && "a guess: "}
        <Prose text={proposal.reason} />
      </small>{" "}
      {role === "none" && (
        <button type="button" class="small" aria-label={`Accept ${proposal.role} for ${name}`} onClick={() => void markRole([name], proposal.role)}>
          Accept
        </button>
      )}
    </>
  );
}

function PersonChoice({ columns, proposed }: { columns: Column[]; proposed: PersonProposal | null }) {
  const chosen = roles.value.person;
  return (
    <p class="about">
      <label>
        Column that tells persons apart:{" "}
        <select value={chosen ?? ""} onChange={(event) => void markPerson(event.currentTarget.value || null)}>
          <option value="">none: each record is a different person</option>
          {columns.map(({ name }) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>{" "}
      {proposed !== null && chosen !== proposed.column && (
        <>
          Proposed: <strong>{proposed.column}</strong>, because {proposed.reason}.{" "}
          <button type="button" class="small" onClick={() => void markPerson(proposed.column)}>
            Accept {proposed.column}
          </button>
        </>
      )}
    </p>
  );
}

function Templates({ found }: { found: Template[] }) {
  return (
    <section aria-labelledby="templates-title">
      <h2 id="templates-title">Insert a requirement</h2>
      <p class="about">
        {found.length === 0
          ? "Assign roles to columns to see suggested requirements here."
          : "These fit the roles above. Insert one to add it at the end of the policy, where you can edit it."}
      </p>
      <ul class="cards">
        {found.map((template) => (
          <TemplateCard template={template} />
        ))}
      </ul>
    </section>
  );
}

function insert(template: Template): void {
  insertRequirement(template.text);
  announce(`Inserted ${plain(template.title)}`);
}

function TemplateCard({ template }: { template: Template }) {
  return (
    <li>
      <header class="row">
        <h3><Prose text={template.title} /></h3>
        <button type="button" class="small" aria-label={`Insert ${plain(template.title)}`} onClick={() => insert(template)}>
          Insert
        </button>
      </header>
      <p><Prose text={template.why} /></p>
      <pre>{template.text}</pre>
    </li>
  );
}
