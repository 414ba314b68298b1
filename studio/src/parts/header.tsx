/** The top of the page: the open policy, its table, and saving. */

import { busy } from "../answers";
import { save, showValues, undo, useAllRecords } from "../files";
import { dirty, file, opened, sample, settings, showRecords } from "../state";
import { count, countNoun, outOf, plain } from "../words";

export function Header() {
  const about = opened.value;
  if (about === null) {
    return (
      <header class="top">
        <h1 class="brand">A-COMPASS</h1>
      </header>
    );
  }
  return (
    <header class="top">
      <h1>
        <span class="brand">A-COMPASS</span> <span class="policy-name">{about.policy.name}</span>{" "}
        <SavedMark />
      </h1>
      <p class="about-table">
        on <strong>{about.table.name}</strong>, {countNoun(about.table.records, "record")}, {countNoun(about.table.columns.length, "column")}
      </p>
      <SampleLine />
      <label class="switch" title="When off, no page receives the value of a record. Records are personal data: check who can see your screen.">
        <input type="checkbox" role="switch" checked={showRecords.value} onChange={(event) => void showValues(event.currentTarget.checked)} /> Show values
      </label>
      <span class={busy.value ? "busy on" : "busy"} title={busy.value ? "working" : ""} />
      <UndoButton />
      <button type="button" class={dirty.value ? "primary" : ""} aria-keyshortcuts="Control+S Meta+S" onClick={() => void save()}>
        Save
      </button>
    </header>
  );
}

/** Undo a change of roles, parameters, reading options or the front page; the editor undoes changes of the text. */
function UndoButton() {
  const last = settings.value?.undo ?? null;
  const what = last === null ? "No setting was changed" : `Undo the change of ${plain(last)}`;
  return (
    <button type="button" disabled={last === null} title={what} aria-keyshortcuts="Control+Z Meta+Z" onClick={() => void undo()}>
      Undo
    </button>
  );
}

function SavedMark() {
  if (dirty.value) return <span class="mark acted">● not saved</span>;
  return <span class="mark plain">{file.value.exists ? "saved" : "new file"}</span>;
}

function SampleLine() {
  const part = sample.value;
  if (part === null) return null;
  return (
    <p class="sample">
      on a sample of {outOf(part.records, part.of)} records{" "}
      <button type="button" class="small" onClick={() => void useAllRecords()} title={`All ${count(part.of)} records take longer`}>
        Use all records
      </button>
    </p>
  );
}
