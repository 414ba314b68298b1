/** Records before and after the policy in a grid, with the changed cells marked. */

import { effect, signal } from "@preact/signals";
import { controls, effects, isOld, verdicts } from "../answers";
import { post, type Ask, type Pair } from "../api";
import { Grid, type Cell, type GridColumn } from "../parts/grid";
import { ask, epoch, opened, showRecords } from "../state";

const isOpen = signal(false);

/** The text that the grid is about: the newest one that has its verdicts, so that the grid never delays them. */
const shown = signal<Ask | null>(null);

effect(() => {
  const now = ask.value;
  if (isOpen.value && !verdicts.busy.value && !controls.busy.value && !effects.busy.value && !isOld(verdicts.answered.value)) shown.value = now;
});

export function RowsBeforeAndAfter() {
  return (
    <section aria-labelledby="rows-title">
      <details open={isOpen.value} onToggle={(event) => void (isOpen.value = event.currentTarget.open)}>
        <summary>
          <span id="rows-title">Records before and after</span>
        </summary>
        {isOpen.value && shown.value !== null && <Rows about={shown.value} />}
      </details>
    </section>
  );
}

function Rows({ about }: { about: Ask }) {
  const found = verdicts.value.value?.verdicts;
  if (!found) return <p class="about">The policy cannot be run.</p>;
  const columns = (opened.value?.table.columns ?? []).map((name): GridColumn => ({ key: name, title: name }));
  return (
    <div class={isOld(about) ? "answer old" : "answer"}>
      <p class="about">
        A changed cell shows its value before and after. Cells and records that the policy does not release are struck out.
        {found.dropped > 0 && " Records dropped for missing values are not shown."}
      </p>
      <Grid
        label="Records before and after"
        columns={columns}
        rows={found.records_in - found.dropped}
        source={JSON.stringify([about, epoch.value])}
        hidden={showRecords.value ? null : "Values are hidden."}
        fetch={(first, count, signal) => fetchRows(about, first, count, signal)}
      />
    </div>
  );
}

async function fetchRows(about: Ask, first: number, count: number, signal: AbortSignal): Promise<Cell[][]> {
  const { rows, diagnostics } = await post("refine/rows", { ...about, first, count }, signal);
  if (rows === null) throw new Error(diagnostics[0]?.message ?? "the records cannot be shown");
  return rows.map(cells);
}

const cells = ({ before, after }: Pair): Cell[] =>
  before.map((cell, at) => {
    if (after === null) return { text: cell, mark: "dropped", title: "the record is not released" };
    const released = after[at] ?? null;
    if (released === cell) return cell;
    if (released === null) return { text: cell, mark: "dropped", title: "not released" };
    return { text: `${cell ?? "missing"} → ${released}`, mark: "changed", title: "changed" };
  });
