/** A control for each column that edits the policy's text, and what the policy does to the columns and the records. */

import { effect, signal, untracked } from "@preact/signals";
import { change, controls, effects, errors, isOld } from "../answers";
import type { Control, Effect, SettingChoice, WrittenLine } from "../api";
import { edit } from "../editor/holder";
import { announce } from "../live";
import { Asked } from "../parts/asked";
import { Explained } from "../parts/explained";
import { Histogram } from "../parts/histogram";
import { LineLink } from "../parts/line";
import { hashOf } from "../place";
import { roleOf } from "../roles";
import { showRecords } from "../state";
import { fraction, share } from "../words";
import { ColumnDetail } from "./column_change";
import { RowsBeforeAndAfter } from "./rows";

/** the column whose details are open: by its button alone, because a list that moves under a click or a key would be in the way */
const chosen = signal<string | null>(null);

/** The controls that were moved, until an answer about the edited text shows their settings. */
type Move = { key: string; applied: boolean };
const moves = signal<Record<string, Move>>({});

function move(column: string, key: string): void {
  moves.value = { ...moves.value, [column]: { key, applied: false } };
}

/** Edits fit the text that they were made for. A control that is moved while newer ones are on their way waits for them. */
effect(() => {
  const found = controls.value.value?.controls;
  if (!found || controls.busy.value || isOld(controls.answered.value)) return;
  const waiting = Object.entries(moves.value).filter(([, { applied }]) => !applied);
  const [next, ...others] = waiting;
  untracked(() => {
    if (next === undefined) {
      if (Object.keys(moves.value).length > 0) moves.value = {};
      return;
    }
    const [column, { key }] = next;
    moves.value = Object.fromEntries([[column, { key, applied: true }], ...others]);
    apply(column, found.find((each) => each.column === column)?.choices.find((each) => each.key === key));
  });
});

function apply(column: string, choice: SettingChoice | undefined): void {
  if (!choice?.edits || choice.edits.length === 0) return;
  announce(`${column}: ${choice.words}`);
  edit(choice.edits);
}

export function RefineColumns() {
  const answer = controls.value.value;
  const found = answer?.controls ?? null;
  return (
    <>
      <Asked diagnostics={answer?.diagnostics.length === 0 ? errors.value : answer?.diagnostics} failure={controls.failure.value} waiting={answer === null} about={controls.answered.value}>
        {found !== null && <Controls found={found} />}
      </Asked>
      {found !== null && <RowsBeforeAndAfter />}
    </>
  );
}

const effectOn = (column: string): Effect | null => effects.value.value?.effects?.find((each) => each.column === column) ?? null;

function Controls({ found }: { found: Control[] }) {
  return (
    <section aria-labelledby="controls-title">
      <header class="row">
        <h2 id="controls-title">What happens to each column</h2>
        <a href={hashOf("refine", "change")}>Cost of each line</a>
      </header>
      <p class="about">
        Each control sets what happens to the column in every record, and edits the policy. Undo in the editor restores the text.
      </p>
      <ul class="controls">
        {found.map((control) => (
          <ControlRow key={control.column} control={control} open={control.column === chosen.value} />
        ))}
      </ul>
    </section>
  );
}

function ControlRow({ control, open }: { control: Control; open: boolean }) {
  const { column } = control;
  const role = roleOf(column);
  return (
    <li class={open ? "chosen" : ""}>
      <div class="name">
        <button type="button" class="link" aria-expanded={open} onClick={() => void (chosen.value = open ? null : column)}>
          <span aria-hidden="true">{open ? "▾" : "▸"}</span> {column}
        </button>{" "}
        <small class="role">{role === "none" ? "no role" : role}</small>
      </div>
      <div class="setting">
        <Setting control={control} />
        <Others control={control} />
      </div>
      <Cost column={column} />
      {open && <ColumnDetail control={control} effect={effectOn(column)} />}
    </li>
  );
}

/** Hidden at once with the other values: the answer may have arrived before. */
const exampleOf = ({ example }: SettingChoice): string | null => (showRecords.value ? example : null);

/** A control is about every record; other lines may still change some. */
const wordsOf = ({ others }: Control, { kind, words }: SettingChoice): string =>
  kind === "as it is" && others.length > 0 ? "only by other lines" : words;

/** more choices than this are a list to open */
const MOST_SEGMENTS = 6;

function Setting({ control }: { control: Control }) {
  const { column, setting, choices } = control;
  if (setting === null) return <p class="only-text">Only the text says what happens to this column.</p>;
  const wanted = moves.value[column]?.key ?? setting;
  return choices.length > MOST_SEGMENTS ? (
    <SettingList control={control} wanted={wanted} />
  ) : (
    <fieldset class="segments">
      <legend class="hidden">{column}</legend>
      {choices.map((choice) => (
        <Segment key={choice.key} control={control} choice={choice} on={choice.key === wanted} />
      ))}
    </fieldset>
  );
}

function Segment({ control, choice, on }: { control: Control; choice: SettingChoice; on: boolean }) {
  const { column } = control;
  return (
    <label class={`segment ${on ? "on" : ""} ${choice.edits === null ? "impossible" : ""}`} title={choice.reason ?? undefined}>
      <input
        type="radio"
        name={`setting of ${column}`}
        checked={on}
        disabled={choice.edits === null}
        onChange={() => move(column, choice.key)}
      />
      <span>{wordsOf(control, choice)}</span>
      {exampleOf(choice) !== null && <small>{choice.example}</small>}
    </label>
  );
}

function SettingList({ control, wanted }: { control: Control; wanted: string }) {
  const { column, choices } = control;
  return (
    <select aria-label={column} value={wanted} onChange={(event) => move(column, event.currentTarget.value)}>
      {choices.map((choice) => (
        <option value={choice.key} disabled={choice.edits === null}>
          {wordsOf(control, choice)}
          {exampleOf(choice) === null ? "" : ` (${choice.example})`}
        </option>
      ))}
    </select>
  );
}

/** The lines that the control cannot show, by the records that they affect. */
function Others({ control: { others } }: { control: Control }) {
  if (others.length === 0) return null;
  const groups = new Map<string, WrittenLine[]>();
  for (const line of others) groups.set(line.words, [...(groups.get(line.words) ?? []), line]);
  return (
    <>
      {[...groups].map(([words, lines]) => (
        <p class="others">
          Other lines that change it:{" "}
          {lines.map((line, at) => (
            <>
              {at > 0 && ", "}
              <LineLink line={line.line} range={line} />
            </>
          ))}{" "}
          ({words})
        </p>
      ))}
    </>
  );
}

function Cost({ column }: { column: string }) {
  const found = effectOn(column);
  const loss = change.value.value?.change?.columns.find((each) => each.column === column)?.loss ?? null;
  if (found === null) return <div class="cost" />;
  const old = isOld(effects.answered.value) || (loss !== null && isOld(change.answered.value));
  return (
    <div class={old ? "cost old" : "cost"}>
      <div class="shapes">
        <Histogram counts={found.before.map((bar) => bar.count ?? 0)} series="before" />
        <Histogram counts={found.after.map((bar) => (bar.lost ? 0 : (bar.count ?? 0)))} series="after" />
      </div>
      <small>
        {found.released ? `${share(found.changed / Math.max(found.records, 1))} of cells changed` : "not released"}
        {loss !== null && (
          <>
            , <Explained word="loss" /> {fraction(loss)}
          </>
        )}
      </small>
    </div>
  );
}
