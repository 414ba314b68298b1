/** What is known about one column: its role with the proposal's reason, its kind, and its values. */

import { chosenColumn, rarest } from "../answers";
import type { Column, Form, Role } from "../api";
import { ShareBar } from "../parts/bar";
import { Figure, Figures } from "../parts/figures";
import { Histogram } from "../parts/histogram";
import { Prose } from "../parts/prose";
import { DataTable, Num } from "../parts/table";
import { openHierarchy } from "../place";
import { markRole, ROLES, roleOf } from "../roles";
import { showRecords } from "../state";
import { count, countNoun, kindText, share, SMALLEST } from "../words";

type Props = { column: Column; records: number };

export function ColumnDetail({ column, columns, records }: Props & { columns: Column[] }) {
  const at = columns.indexOf(column);
  return (
    <section aria-labelledby="column-title" class="column-detail">
      <header class="row">
        <h2 id="column-title" tabindex={-1}>Column {column.name}</h2>
        <span class="buttons">
          <Neighbor words="Previous column" column={columns[at - 1]} />
          <Neighbor words="Next column" column={columns[at + 1]} />
        </span>
      </header>
      <div class="side-by-side">
        <div>
          <RoleField column={column} />
          <p class="about">
            {kindText(column)}: {KINDS[column.form]}
          </p>
          <p>
            <button type="button" onClick={() => openHierarchy(column.name)}>
              Edit hierarchy
            </button>
          </p>
          <Numbers column={column} records={records} />
        </div>
        <div>
          <h3>Distribution</h3>
          <Distribution column={column} records={records} />
          <Rarest column={column} />
        </div>
      </div>
    </section>
  );
}

const KINDS: Record<Form, string> = {
  number: "can be put into bands.",
  code: "a code has no order and is never put into bands; codes of one length have prefixes.",
  date: "can be reduced to months, years and decades.",
  text: "values can be merged in groups.",
};

function Neighbor({ words, column }: { words: string; column: Column | undefined }) {
  return (
    <button type="button" class="small" disabled={column === undefined} onClick={() => void (chosenColumn.value = column?.name ?? null)}>
      {words}
    </button>
  );
}

function RoleField({ column: { name, proposal } }: { column: Column }) {
  const role = roleOf(name);
  return (
    <>
      <p class="row">
        <label for="role-of-column">Role</label>
        <select id="role-of-column" value={role} onChange={(event) => void markRole([name], event.currentTarget.value as Role)}>
          {ROLES.map((each) => (
            <option value={each}>{each === "none" ? "no role" : each}</option>
          ))}
        </select>
        {role !== proposal.role && (
          <button type="button" class="small" onClick={() => void markRole([name], proposal.role)}>
            Accept the proposal
          </button>
        )}
      </p>
      <p class="about">
        {role === proposal.role ? "As proposed" : "Proposed"}: <strong>{proposal.role}</strong>
        {proposal.is_guess && ", a guess"}. <Prose text={sentence(proposal.reason)} />
      </p>
    </>
  );
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

function Numbers({ column, records }: Props) {
  const part = (number: number) => share(number / Math.max(records, 1));
  return (
    <Figures>
      <Figure name="missing" value={column.missing === 0 ? "none" : count(column.missing)} note={column.missing === 0 ? "" : part(column.missing)} />
      <Figure name="different values" value={count(column.distinct)} />
      <Figure name={`records with a value that fewer than ${SMALLEST} share`} value={count(column.rare)} note={part(column.rare)} />
      <Figure name="records with a value of their own" value={count(column.unique)} note={part(column.unique)} />
    </Figures>
  );
}

function Distribution({ column, records }: Props) {
  if (column.bars.length < 2) return <p class="about">{column.summary || "No value is shared by enough records to be shown."}</p>;
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

/** Rare values are values of few records, so they are shown only while values are. */
function Rarest({ column }: { column: Column }) {
  if (!showRecords.value) return <p class="about">While <em>Show values</em> is off, the page receives no rare value.</p>;
  const isOf = rarest.answered.value?.column === column.name;
  const found = isOf ? (rarest.value.value?.values ?? []) : [];
  if (found.length === 0) return null;
  return (
    <>
      <h3>Rarest values</h3>
      <ul class="plain rarest">
        {found.map(({ text, records }) => (
          <li>
            <span class="value">{text}</span> <small>{countNoun(records, "record")}</small>
          </li>
        ))}
      </ul>
    </>
  );
}
