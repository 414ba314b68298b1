/** The top of the page: the open policy, its table, and saving. */

import { busy } from "../answers";
import { dropIncomplete, save, useAllRecords } from "../files";
import { dirty, file, opened, sample } from "../state";
import { count, countNoun, outOf } from "../words";

export function Header() {
  const about = opened.value;
  if (about === null) return null;
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
      <label class="switch" title="A policy needs complete columns. When on, records with a missing value in one of them are dropped.">
        <input
          type="checkbox"
          role="switch"
          checked={about.missing.drop}
          onChange={(event) => void dropIncomplete(event.currentTarget.checked)}
        />{" "}
        drop incomplete records
      </label>
      <span class={busy.value ? "busy on" : "busy"} title={busy.value ? "working" : ""} />
      <button type="button" class={dirty.value ? "primary" : ""} aria-keyshortcuts="Control+S Meta+S" onClick={() => void save()}>
        Save
      </button>
    </header>
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
