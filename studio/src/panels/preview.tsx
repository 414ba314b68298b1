/** The report as it would be written, of all records. It is a page of its own, in a frame that may do nothing. */

import { signal } from "@preact/signals";
import { Call } from "../calls";
import { Asked } from "../parts/asked";
import { ask } from "../state";

const prepared = new Call("preview");
const shown = signal<{ about: string; count: number } | null>(null);

async function prepare(): Promise<void> {
  const asked = ask.peek();
  const answer = await prepared.start(asked);
  if (answer?.diagnostics.length === 0) shown.value = { about: JSON.stringify(asked), count: (shown.peek()?.count ?? 0) + 1 };
}

export function Preview() {
  const answer = prepared.value.value;
  const old = shown.value !== null && shown.value.about !== JSON.stringify(ask.value);
  return (
    <section aria-labelledby="preview-title">
      <header class="row">
        <h2 id="preview-title">2. Look at the report</h2>
        <button type="button" disabled={prepared.busy.value} onClick={() => void prepare()}>
          {prepared.busy.value ? "Preparing…" : shown.value === null ? "Show the report" : "Show it again"}
        </button>
      </header>
      <p class="about">Always of all records. It contains no record's values.</p>
      {old && <p class="stale">The policy has changed since this report was made.</p>}
      {(answer !== null || prepared.failure.value !== null) && (
        <Asked diagnostics={answer?.diagnostics} failure={prepared.failure.value} waiting={false}>
          {answer?.ok === false && answer.diagnostics.length === 0 && <p class="stale">✗ A check is violated: the report says which.</p>}
          {shown.value !== null && <iframe title="Preview of the report" sandbox="" src={`/preview?${shown.value.count}`} />}
        </Asked>
      )}
    </section>
  );
}
