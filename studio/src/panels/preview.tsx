/** The report on all records, as it would be written, in a sandboxed frame. */

import { signal } from "@preact/signals";
import { Call } from "../calls";
import { Asked, Since } from "../parts/asked";
import { rolesArrived } from "../roles";
import { ask } from "../state";

const prepared = new Call("preview");
/** the number of previews so far: each gets a new address, so that the frame loads it */
const shown = signal(0);

async function prepare(): Promise<void> {
  await rolesArrived();
  const answer = await prepared.start(ask.peek());
  if (answer?.diagnostics.length === 0) shown.value++;
}

export function Preview() {
  const answer = prepared.value.value;
  return (
    <section aria-labelledby="preview-title">
      <header class="row">
        <h2 id="preview-title">Preview the report</h2>
        <button type="button" disabled={prepared.busy.value} onClick={() => void prepare()}>
          {prepared.busy.value ? "Preparing…" : shown.value === 0 ? "Show the report" : "Show it again"}
        </button>
      </header>
      <p class="about">The report covers all records. It contains no record, and only values that are released.</p>
      <Since asked={prepared.answered.value} />
      {(answer !== null || prepared.failure.value !== null) && (
        <Asked diagnostics={answer?.diagnostics} failure={prepared.failure.value} waiting={false} about={prepared.answered.value}>
          {answer?.ok === false && answer.diagnostics.length === 0 && <p class="stale">✗ The policy is violated; the report shows where.</p>}
          {shown.value > 0 && <iframe title="Preview of the report" sandbox="" src={`/preview?${shown.value}`} />}
        </Asked>
      )}
    </section>
  );
}
