/** What the release costs: how each column changed, and which line did it. */

import { signal } from "@preact/signals";
import { change, policyText } from "../answers";
import type { Change, ColumnChange, LineCost } from "../api";
import { Asked } from "../parts/asked";
import { ShareBar } from "../parts/bar";
import { Explained } from "../parts/explained";
import { LineLink } from "../parts/line";
import { DataTable, Num } from "../parts/table";
import { count, countNoun, fraction, share } from "../words";

type Order = "line" | "records" | "cells" | "cost";
const order = signal<Order>("cost");

export function ChangePanel() {
  const answer = change.value.value;
  return (
    <Asked diagnostics={answer?.diagnostics} failure={change.failure.value} waiting={answer === null} about={change.answered.value}>
      {answer?.change && <Lines found={answer.change} />}
      {answer?.change && <Columns found={answer.change} />}
    </Asked>
  );
}

/** A record that is lost loses all its cells. */
const cells = (line: LineCost, columns: number): number => line.records_lost * columns + line.cells_changed;

function sortLines(lines: LineCost[], columns: number): LineCost[] {
  const keys: Record<Order, (line: LineCost) => number> = {
    line: (line) => -line.index,
    records: (line) => line.records_lost,
    cells: (line) => line.cells_changed,
    cost: (line) => cells(line, columns),
  };
  const key = keys[order.value];
  return [...lines].sort((one, other) => key(other) - key(one) || one.index - other.index);
}

function Lines({ found }: { found: Change }) {
  const columns = Math.max(found.columns.length, 1);
  const whole = Math.max(found.records_before * columns, 1);
  const most = Math.max(...found.lines.map((line) => cells(line, columns)), 0);
  const by = (name: Order) => ({ on: order.value === name, by: () => void (order.value = name) });
  return (
    <section aria-labelledby="lines-title">
      <h2 id="lines-title">What each line costs</h2>
      <p class="about">
        {countNoun(found.records_before, "record")} before, {count(found.records_after)} after
        {found.loss !== null && <>, <Explained word="loss">loss</Explained> {fraction(found.loss)} (0: unchanged, 1: fully suppressed)</>}. The cost of a line is
        the share of the table's cells that it changes or drops.
      </p>
      <DataTable
        quiet
        caption="Cost of each line"
        head={[
          { title: "Where", sort: by("line") },
          { title: "Requirement", optional: true },
          { title: "Records lost", number: true, sort: by("records") },
          { title: "Cells changed", number: true, sort: by("cells") },
          { title: "Cost", sort: by("cost") },
        ]}
      >
        {sortLines(found.lines, columns).map((line) => (
          <Line line={line} part={cells(line, columns) / whole} most={most > 0 && cells(line, columns) === most} />
        ))}
      </DataTable>
    </section>
  );
}

function Line({ line, part, most }: { line: LineCost; part: number; most: boolean }) {
  const spelling = policyText(change.answered.value?.text ?? "", line);
  return (
    <tr>
      <td>
        <LineLink line={line.line} range={line} /> {most && <span class="mark open">▲ costs most</span>}
      </td>
      <td class="optional">
        <code class="clipped" title={spelling}>{spelling}</code>
      </td>
      <Num>{count(line.records_lost)}</Num>
      <Num>{line.probability === null ? count(line.cells_changed) : `≤ ${count(line.cells_changed)}`}</Num>
      <td class="share">
        {share(part)} <ShareBar part={part} />
      </td>
    </tr>
  );
}

function Columns({ found }: { found: Change }) {
  return (
    <section aria-labelledby="moved-title">
      <h2 id="moved-title">Change of each column's distribution</h2>
      <p class="about">
        <Explained word="distance">Distance</Explained>: how far the values moved. <Explained word="information lost">Information
        lost</Explained> and <Explained word="loss">loss</Explained>: the detail that labels, * and dropped records no longer have. A
        dash means unknown: the values do not say which original ones they cover, or there was nothing to lose.
      </p>
      <DataTable
        quiet
        caption="Change of each column"
        head={["Column", "Distance", { title: "Values before", number: true }, { title: "after", number: true }, "Information lost", { title: "Loss", number: true }]}
      >
        {found.columns.map((column) => (
          <Moved column={column} />
        ))}
      </DataTable>
    </section>
  );
}

function Moved({ column }: { column: ColumnChange }) {
  return (
    <tr>
      <th scope="row">{column.column}</th>
      <td class="share">
        {column.distance === null ? "–" : <>{fraction(column.distance)} <ShareBar part={column.distance} /></>}
      </td>
      <Num>{column.values_before === null ? "–" : count(column.values_before)}</Num>
      <Num>{column.values_after === null ? "–" : count(column.values_after)}</Num>
      <td class="share">
        {column.information_lost === null ? "–" : <>{share(column.information_lost)} <ShareBar part={column.information_lost} /></>}
      </td>
      <Num>{column.loss === null ? "–" : fraction(column.loss)}</Num>
    </tr>
  );
}
