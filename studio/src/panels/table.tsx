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
import { markRole, ROLES, roleOf } from "../roles";
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
        <em>sensitive</em> columns contain attributes that must stay confidential.
      </p>
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

function RoleChoice({ column }: { column: string }) {
  return (
    <select
      aria-label={`Role of ${column}`}
      value={roleOf(column)}
      onChange={(event) => void markRole(column, event.currentTarget.value as Role)}
    >
      {ROLES.map((role) => (
        <option value={role}>{role}</option>
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
