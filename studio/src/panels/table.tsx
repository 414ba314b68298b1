/** The table's columns: their content and their roles. */

import { table, templates } from "../answers";
import type { Column, Role, Template } from "../api";
import { insertRequirement } from "../editor/holder";
import { announce } from "../live";
import { Asked } from "../parts/asked";
import { ShareBar } from "../parts/bar";
import { Histogram } from "../parts/histogram";
import { Prose } from "../parts/prose";
import { DataTable, Num } from "../parts/table";
import { markPerson, markRole, ROLES, roleOf, undecided } from "../roles";
import { roles } from "../state";
import { count, countNoun, plain, share } from "../words";

export function TablePanel() {
  const found = table.value.value;
  return (
    <Asked diagnostics={undefined} failure={table.failure.value} waiting={found === null}>
      {found !== null && <Columns columns={found.columns} records={found.records} />}
      <Templates found={templates.value.value?.templates ?? []} />
    </Asked>
  );
}

function Columns({ columns, records }: { columns: Column[]; records: number }) {
  return (
    <section aria-labelledby="columns-title">
      <h2 id="columns-title">
        {countNoun(columns.length, "column")} of {countNoun(records, "record")}
      </h2>
      <p class="about">
        Mark the columns that could identify someone. <em>Identifiers</em> identify a person directly, <em>quasi-identifiers</em> in combination;{" "}
        <em>sensitive</em> columns contain attributes that must stay confidential. Once a column has a role, a release needs one for every
        column; <em>other</em> is for columns that are none of these.
      </p>
      <Undecided columns={undecided.value} />
      <PersonChoice columns={columns} />
      <DataTable
        quiet
        caption="Columns with their roles"
        head={["Column", "Role", "Type", { title: "Missing", number: true }, { title: "Values", number: true }, "Distribution"]}
      >
        {columns.map((column) => (
          <ColumnRow column={column} records={records} />
        ))}
      </DataTable>
    </section>
  );
}

function ColumnRow({ column, records }: { column: Column; records: number }) {
  return (
    <tr>
      <th scope="row">{column.name}</th>
      <td>
        <RoleChoice column={column.name} />
      </td>
      <td>{column.type}</td>
      <Num>{column.missing === 0 ? "none" : `${count(column.missing)} (${share(column.missing / Math.max(records, 1))})`}</Num>
      <Num>{count(column.distinct)}</Num>
      <td class="distribution">
        <Distribution column={column} records={records} />
      </td>
    </tr>
  );
}

function Undecided({ columns }: { columns: string[] }) {
  if (columns.length === 0) return null;
  return (
    <div class="banner open row" role="status">
      <span>
        △ {countNoun(columns.length, "column")} without a role: <strong>{columns.join(", ")}</strong>. No release is written until each has one.
      </span>
      <button type="button" class="small" onClick={() => void markRole(columns, "other")}>
        Mark as other
      </button>
    </div>
  );
}

function PersonChoice({ columns }: { columns: Column[] }) {
  return (
    <p>
      <label>
        Column that tells persons apart:{" "}
        <select value={roles.value.person ?? ""} onChange={(event) => void markPerson(event.currentTarget.value || null)}>
          <option value="">none: every record is another person</option>
          {columns.map(({ name }) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
    </p>
  );
}

function RoleChoice({ column }: { column: string }) {
  return (
    <select
      aria-label={`Role of ${column}`}
      value={roleOf(column)}
      onChange={(event) => void markRole([column], event.currentTarget.value as Role)}
    >
      {ROLES.map((role) => (
        <option value={role}>{role === "none" ? "no role" : role}</option>
      ))}
    </select>
  );
}

function Distribution({ column, records }: { column: Column; records: number }) {
  if (column.bars.length < 2) return <span class="summary">{column.summary || "no value is frequent enough to show"}</span>;
  return (
    <>
      <Histogram counts={column.bars.map((bar) => bar.count ?? 0)} />
      <details>
        <summary>Values of {column.name}</summary>
          <DataTable quiet caption={`Values of ${column.name}`} head={["Value", { title: "Records", number: true }, "Share"]}>
            {column.bars.map((bar) => (
              <tr>
                <th scope="row">{bar.label}</th>
                <Num>{bar.count === null ? "not shown" : count(bar.count)}</Num>
                <td>
                  <ShareBar part={(bar.count ?? 0) / Math.max(records, 1)} />
                </td>
              </tr>
            ))}
          </DataTable>
      </details>
    </>
  );
}

function Templates({ found }: { found: Template[] }) {
  return (
    <section aria-labelledby="templates-title">
      <h2 id="templates-title">Insert a requirement</h2>
      <p class="about">
        {found.length === 0
          ? "Assign roles to columns to see suggested requirements here."
          : "Suggested for the roles above. Inserting one adds it at the end of the policy, where it can be edited."}
      </p>
      <ul class="cards">
        {found.map((template) => (
          <TemplateCard template={template} />
        ))}
      </ul>
    </section>
  );
}

function TemplateCard({ template }: { template: Template }) {
  const insert = () => {
    insertRequirement(template.text);
    announce(`Inserted ${plain(template.title)}`);
  };
  return (
    <li>
      <header class="row">
        <h3><Prose text={template.title} /></h3>
        <button type="button" class="small" aria-label={`Insert ${plain(template.title)}`} onClick={insert}>
          Insert
        </button>
      </header>
      <p><Prose text={template.why} /></p>
      <pre>{template.text}</pre>
    </li>
  );
}
