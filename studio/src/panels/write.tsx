/** Write table and report: run the saved policy on all records; if a check is violated, write nothing. */

import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { post, Refused, type Diagnostic, type Released } from "../api";
import { save } from "../files";
import { announce } from "../live";
import { Problems } from "../parts/asked";
import { rolesArrived } from "../roles";
import { ask, dirty, file, lostContact, opened } from "../state";
import { count, countNoun } from "../words";

const names = { table: signal(""), report: signal("") };
const withReport = signal(true);
const writing = signal(false);
const released = signal<Released | null>(null);
const wrong = signal<Diagnostic[]>([]);
/** why nothing was written, and whether only because the files exist */
export type NotReleased = { message: string; exists: boolean };
const refused = signal<NotReleased | null>(null);

effect(() => {
  const proposed = opened.value?.release;
  if (proposed === undefined) return;
  names.table.value ||= proposed.table;
  names.report.value ||= proposed.report;
});

async function write(replace: boolean): Promise<void> {
  writing.value = true;
  released.value = refused.value = null;
  wrong.value = [];
  try {
    if (!dirty.peek() || (await save())) await release(replace);
  } catch (error) {
    lostContact(error);
    if (error instanceof Refused) refused.value = { message: error.message, exists: error.exists !== null };
  } finally {
    writing.value = false;
  }
}

async function release(replace: boolean): Promise<void> {
  await rolesArrived();
  const answer = await post("release", {
    ...ask.peek(),
    seen: file.peek().version,
    table: names.table.peek(),
    report: withReport.peek() ? names.report.peek() : null,
    replace,
  });
  wrong.value = answer.diagnostics;
  released.value = answer.released;
  if (answer.released !== null) announce("Released");
}

export function Write() {
  const submit = (event: Event) => {
    event.preventDefault();
    void write(false);
  };
  return (
    <section aria-labelledby="write-title">
      <h2 id="write-title">3. Write the release</h2>
      <p class="about">
        {dirty.value ? "Saves the policy, then runs it" : "Runs the saved policy"} on all records. Both files are written to the
        policy's folder, or neither. If a check is violated, or a line does not hold for the result, nothing is written.
      </p>
      <form class="fields" onSubmit={submit}>
        <label for="release-table">Table</label>
        <input id="release-table" value={names.table.value} onInput={(event) => void (names.table.value = event.currentTarget.value)} />
        <label for="release-report">Report</label>
        <input
          id="release-report"
          value={names.report.value}
          disabled={!withReport.value}
          onInput={(event) => void (names.report.value = event.currentTarget.value)}
        />
        <label class="switch">
          <input type="checkbox" checked={withReport.value} onChange={(event) => void (withReport.value = event.currentTarget.checked)} />
          Write a report
        </label>
        <button type="submit" class="primary" disabled={writing.value}>
          {writing.value ? "Writing…" : dirty.value ? "Save and write" : "Write"}
        </button>
      </form>
      <Outcome />
    </section>
  );
}

function Outcome() {
  return (
    <div role="status">
      <Problems problems={wrong.value} />
      {refused.value !== null && <NotWritten refused={refused.value} replace={() => void write(true)} />}
      {released.value !== null && <Written done={released.value} />}
    </div>
  );
}

type NotWrittenProps = { refused: NotReleased; replace: () => void; children?: ComponentChildren };

/** `children` are other ways to deal with files that exist. */
export function NotWritten({ refused: { message, exists }, replace, children }: NotWrittenProps) {
  return (
    <p class="row">
      <span class="mark bad">✗ not written</span> <span>{message}</span>
      {exists && (
        <button type="button" class="small" onClick={replace}>
          Replace
        </button>
      )}
      {exists && children}
    </p>
  );
}

function Written({ done }: { done: Released }) {
  if (!done.ok) return <p class="mark bad">✗ the policy is violated: nothing was written</p>;
  const files = [done.table, done.report].filter((name) => name !== null);
  return (
    <p>
      <span class="mark good">✓ written</span> <strong>{files.join(" and ")}</strong>: {countNoun(done.records_in, "record")} in,{" "}
      {count(done.records_out)} out{done.checks_nothing && "; no check in this policy"}
    </p>
  );
}
