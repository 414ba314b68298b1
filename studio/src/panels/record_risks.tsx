/** Write the risk of each record to a file in the policy's folder, for the curator only. */

import { signal } from "@preact/signals";
import { post, Refused, type Ask, type Diagnostic, type WrittenRisks } from "../api";
import { announce } from "../live";
import { Problems, Since } from "../parts/asked";
import { Prose } from "../parts/prose";
import { ask, lostContact, roles, weightColumn } from "../state";
import { countNoun } from "../words";
import { NotWritten, type NotReleased } from "./write";

const name = signal("risk-internal.csv");
const released = signal(false);
const writing = signal(false);
const written = signal<WrittenRisks | null>(null);
/** the policy and the roles that `written` is about */
const asked = signal<Ask | null>(null);
const wrong = signal<Diagnostic[]>([]);
const refused = signal<NotReleased | null>(null);

async function write(replace: boolean): Promise<void> {
  writing.value = true;
  written.value = refused.value = null;
  wrong.value = [];
  try {
    const body = { ...ask.peek(), roles: roles.peek(), sampling_weight: weightColumn.peek() };
    const answer = await post("record_risks", { ...body, name: name.peek(), released: released.peek(), replace });
    wrong.value = answer.diagnostics;
    written.value = answer.written;
    asked.value = body;
    if (answer.written !== null) announce(`Written: ${answer.written.name}`);
  } catch (error) {
    lostContact(error);
    if (error instanceof Refused) refused.value = { message: error.message, exists: error.exists !== null };
  } finally {
    writing.value = false;
  }
}

export function RecordRisks() {
  const submit = (event: Event) => {
    event.preventDefault();
    void write(false);
  };
  return (
    <section aria-labelledby="record-risks-title">
      <h2 id="record-risks-title">Risk of each record</h2>
      <p class="about">
        A file with a row for each record: its number, the size of its class, and its risks. It contains no value of the table, but it shows
        whom an attacker would find: <strong>it is personal data. Keep it with the original table, and do not publish it.</strong>
      </p>
      <form class="fields" onSubmit={submit}>
        <label for="risks-of">Records of</label>
        <select id="risks-of" value={released.value ? "after" : "before"} onChange={(event) => void (released.value = event.currentTarget.value === "after")}>
          <option value="before">the original table</option>
          <option value="after">the table after the policy</option>
        </select>
        <label for="risks-file">File</label>
        <input id="risks-file" value={name.value} onInput={(event) => void (name.value = event.currentTarget.value)} />
        <button type="submit" disabled={writing.value}>
          {writing.value ? "Writing…" : "Write the risks"}
        </button>
      </form>
      <div role="status">
        <Problems problems={wrong.value} />
        {refused.value !== null && <NotWritten refused={refused.value} replace={() => void write(true)} />}
        {written.value !== null && (
          <>
            <Since asked={asked.value} what="this file was written" />
            <Written done={written.value} />
          </>
        )}
      </div>
    </section>
  );
}

function Written({ done }: { done: WrittenRisks }) {
  return (
    <p>
      <span class="mark good">✓ written</span> <strong>{done.name}</strong>, in the policy's folder: {countNoun(done.records, "record")}.{" "}
      <Prose text={done.note} />.
    </p>
  );
}
