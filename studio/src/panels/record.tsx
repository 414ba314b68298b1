/** What the policy does to a record; shown only while "Show values" is on. */

import { effect, signal } from "@preact/signals";
import type { Life, Step } from "../api";
import { Call } from "../calls";
import { judged } from "../answers";
import { Asked, Since } from "../parts/asked";
import { LineLink } from "../parts/line";
import { Prose } from "../parts/prose";
import { Stepper } from "../parts/stepper";
import { DataTable } from "../parts/table";
import { ask, opened, showRecords } from "../state";
import { countNoun, done, oneLine } from "../words";

const CHANGED = "✎";
const record = signal("1");
const where = signal("");
const lives = new Call("record");

effect(() => {
  if (!showRecords.value) lives.value.value = null;
});

const explainNumber = () => lives.start({ ...ask.peek(), record: Number.parseInt(record.peek(), 10) || 1 });
const explainWhere = () => lives.start({ ...ask.peek(), where: where.peek() });

export function RecordPanel() {
  return (
    <>
      <section aria-labelledby="record-title">
        <h2 id="record-title">What the policy does to a record</h2>
        {!showRecords.value && <p class="about">While <em>Show values</em> is off, the page receives no record.</p>}
        {showRecords.value && <Choice />}
      </section>
      {showRecords.value && <Lives />}
    </>
  );
}

function Choice() {
  const submit = (explain: () => unknown) => (event: Event) => {
    event.preventDefault();
    void explain();
  };
  return (
    <div class="choices">
      <form class="row" onSubmit={submit(explainNumber)}>
        <Stepper
          label="Record"
          name="Record number"
          least={1}
          value={record.value}
          set={(value) => {
            record.value = value;
          }}
        />
        <button type="submit">Explain</button>
      </form>
      <form class="row grow" onSubmit={submit(explainWhere)}>
        <label for="where">or where</label>
        <input
          id="where"
          class="wide"
          value={where.value}
          placeholder={`${opened.value?.table.columns[0] ?? "age"} = …`}
          onInput={(event) => {
            where.value = event.currentTarget.value;
          }}
        />
        <button type="submit">Explain matches</button>
      </form>
    </div>
  );
}

function Lives() {
  const answer = lives.value.value;
  if (answer === null && lives.failure.value === null && !lives.busy.value) return null;
  return (
    <Asked diagnostics={answer?.diagnostics} failure={lives.failure.value} waiting={answer === null} about={lives.answered.value}>
      <Since asked={lives.answered.value} />
      {answer?.lives?.length === 0 && <p class="empty">No record matches.</p>}
      {answer?.lives?.map((life) => <LifeSection life={life} />)}
    </Asked>
  );
}

function LifeSection({ life }: { life: Life }) {
  const title = `record-${life.record}`;
  return (
    <section aria-labelledby={title}>
      <h2 id={title}>
        Record {life.record}: {outcomeText(life)}
      </h2>
      <ValueTable life={life} />
      <ol class="trace">
        {life.steps.map((step) => (
          <StepRow step={step} />
        ))}
      </ol>
    </section>
  );
}

function outcomeText(life: Life): string {
  if (life.given === null) return "dropped, a value is missing";
  if (life.left === null) return "dropped";
  const { given, left } = life;
  const same = Object.entries(given).every(([column, value]) => left[column] !== undefined && unquote(left[column]) === unquote(value));
  return same ? "released unchanged" : "released, changed";
}

function ValueTable({ life: { given, left, record: number } }: { life: Life }) {
  if (given === null) return null;
  return (
    <DataTable quiet caption={`Values of record ${number}`} head={["Column", "Before", "After"]}>
      {Object.entries(given).map(([column, value]) => (
        <tr>
          <th scope="row">{column}</th>
          <td>{unquote(value)}</td>
          <td class={valueAfter(left, column, value).startsWith(CHANGED) ? "changed" : ""}>{valueAfter(left, column, value)}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function valueAfter(left: Record<string, string> | null, column: string, before: string): string {
  if (left === null) return "–";
  const value = left[column];
  if (value === undefined) return `${CHANGED} column dropped`;
  return unquote(value) === unquote(before) ? unquote(before) : `${CHANGED} ${unquote(value)}`;
}

/** A column may change from numbers to text; added quotes do not change the value. */
const unquote = (value: string): string => (/^'.*'$/s.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value);

function StepRow({ step }: { step: Step }) {
  const place = judged.value.find((each) => each.requirement.index === step.index);
  return (
    <li class={step.affected ? "affected" : ""}>
      <p>
        {place === undefined ? `line ${step.line}` : <LineLink line={step.line} range={place.requirement} />} <code>{place?.text ?? oneLine(step.text)}</code>
      </p>
      <p>{effectOf(step)}</p>
      {step.class !== null && <p class="about">{classText(step)}</p>}
      {step.nearest.length > 0 && <p class="about">It would not have been affected with: <Prose text={step.nearest.join("; or ")} /></p>}
    </li>
  );
}

function effectOf(step: Step): string {
  if (step.dropped) return "✗ dropped";
  if (step.action === "DROP" && step.affected) return `${CHANGED} these columns are dropped`;
  if (step.change !== null) return `${CHANGED} ${step.change.column}: ${step.change.before} → ${step.change.after}`;
  if (!step.affected) return "✓ not affected";
  return step.action === null ? "✗ violates this check" : `${CHANGED} ${done(step.action)}`;
}

function classText({ class: found }: Step): string {
  if (found === null) return "";
  const pairs = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => `${name} ${value}`);
  return `Its class: ${pairs(found.key).join(", ")}, with ${countNoun(found.records, "record")}; ${pairs(found.values).join(", ")}`;
}
