/** A column before and after the policy: its distribution, its influence on the risk, and the lines that change it. */

import { effects, isOld, risk } from "../answers";
import type { Bar, Control, Effect } from "../api";
import { Problems } from "../parts/asked";
import { ShareBar } from "../parts/bar";
import { LineLink } from "../parts/line";
import { Prose } from "../parts/prose";
import { DataTable, Num } from "../parts/table";
import { openHierarchy } from "../place";
import { count, countNoun, share } from "../words";

export function ColumnDetail({ control, effect }: { control: Control; effect: Effect | null }) {
  const { column } = control;
  return (
    <div class="detail" role="group" aria-labelledby="detail-title">
      <header class="row">
        <h3 id="detail-title">{column} before and after</h3>
        <button type="button" class="small" onClick={() => openHierarchy(column)}>
          Edit hierarchy
        </button>
      </header>
      <Lines control={control} />
      <Impossible control={control} />
      <Influence column={column} />
      {effect !== null ? <Distributions effect={effect} /> : <NoEffect />}
    </div>
  );
}

/** What is missing while a policy cannot be performed, or before the answer. */
function NoEffect() {
  const answer = effects.value.value;
  if (effects.failure.value !== null) return <p class="empty">{effects.failure.value}</p>;
  return answer === null ? <p class="empty">Calculating…</p> : <Problems problems={answer.diagnostics} />;
}

function Lines({ control: { line, others } }: { control: Control }) {
  const all = line === null ? others : [line, ...others].sort((one, other) => one.index - other.index);
  if (all.length === 0) return <p class="about">No line of the policy changes this column.</p>;
  return (
    <ul class="plain">
      {all.map((each) => (
        <li>
          <LineLink line={each.line} range={each} />, {each.words}: <code>{each.text}</code>
        </li>
      ))}
    </ul>
  );
}

function Impossible({ control: { choices } }: { control: Control }) {
  const found = choices.filter((each) => each.reason !== null);
  if (found.length === 0) return null;
  return (
    <ul class="plain">
      {found.map((each) => (
        <li>
          <strong>{each.words}</strong> is not possible: <Prose text={each.reason ?? ""} />
        </li>
      ))}
    </ul>
  );
}

/** The smallest class of the released table by all quasi-identifiers, and by the others. */
function Influence({ column }: { column: string }) {
  const found = risk.value.value?.risk;
  const driver = found?.drivers.find((each) => each.column === column);
  if (!found || driver === undefined || found.after === null) return null;
  const { counted } = found.after;
  const words = (k: number | null): string => (k === null ? `no ${counted}` : countNoun(k, counted.replace(/s$/, "")));
  return (
    <p class={isOld(risk.answered.value) ? "old" : ""}>
      Smallest class after the policy: <strong>{words(driver.k_with)}</strong> by all quasi-identifiers, <strong>{words(driver.k_without)}</strong>{" "}
      without {column}.
    </p>
  );
}

function Distributions({ effect }: { effect: Effect }) {
  const { column, released, changed, suppressed, records } = effect;
  return (
    <div class={isOld(effects.answered.value) ? "answer old" : "answer"}>
      <p>
        {released
          ? `${count(changed)} of ${countNoun(records, "cell")} changed (${share(changed / Math.max(records, 1))}), of which ${count(suppressed)} are lost as *.`
          : "The column is not released."}
      </p>
      <div class="side-by-side">
        <Side title={`${column} before`} bars={effect.before} series="before" />
        {released && <Side title={`${column} after`} bars={effect.after} series="after" />}
      </div>
    </div>
  );
}

function Side({ title, bars, series }: { title: string; bars: Bar[]; series: string }) {
  if (bars.length === 0) return <p class="about">{title}: no value is shared by enough records to be shown.</p>;
  const whole = Math.max(1, bars.reduce((sum, bar) => sum + (bar.count ?? 0), 0));
  return (
    <DataTable caption={title} head={["Value", { title: "Records", number: true }, "Share"]}>
      {bars.map((bar) => (
        <tr>
          <th scope="row">{bar.lost ? "* (lost)" : bar.label}</th>
          <Num>{bar.count === null ? "not shown" : count(bar.count)}</Num>
          <td>
            <ShareBar part={(bar.count ?? 0) / whole} series={bar.lost ? "lost" : series} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
