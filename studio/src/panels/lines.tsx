/** Verdict, affected count and proof of each requirement, and the policy's problems. */

import { diagnosis, empty, isOld, judged, problems, verdicts, type Judged } from "../answers";
import type { Diagnostic, Verdicts } from "../api";
import { edit } from "../editor/holder";
import { Problems } from "../parts/asked";
import { BadgeMark } from "../parts/badge";
import { Figure, Figures } from "../parts/figures";
import { LineLink } from "../parts/line";
import { PlaceLink } from "../parts/place_link";
import { Prose } from "../parts/prose";
import { DataTable } from "../parts/table";
import { text } from "../state";
import { count, countNoun, outputBadge, proofBadge, share, verdictBadge } from "../words";

export function LinesPanel() {
  const found = verdicts.value.value?.verdicts ?? null;
  if (verdicts.value.value === null) return <p class="empty">Calculating…</p>;
  return (
    <div class={isOld(verdicts.answered.value) ? "answer old" : "answer"}>
      {found !== null && <Outcome found={found} />}
      <Mistakes />
      {found !== null && <Requirements rows={judged.value} />}
      {found !== null && <Remarks found={found} />}
      {empty.value && <Beginning />}
    </div>
  );
}

/** Diagnostics of the text and of a run: some mistakes depend on the table. */
function allProblems(): Diagnostic[] {
  const known = new Set(problems.value.map((each) => `${each.code} ${each.from}`));
  const others = empty.value ? [] : (verdicts.value.value?.diagnostics ?? []);
  return [...problems.value, ...others.filter((each) => !known.has(`${each.code} ${each.from}`))];
}

function Mistakes() {
  const shown = allProblems();
  if (shown.length === 0) return null;
  const safe = shown.flatMap((each) => each.fixes.filter((fix) => fix.safe).slice(0, 1));
  return (
    <section aria-labelledby="problems-title">
      <header class="row">
        <h2 id="problems-title">{countNoun(shown.length, "problem")}</h2>
        {safe.length > 1 && diagnosis.answered.value?.text === text.value && (
          <button type="button" class="small" onClick={() => edit(safe.flatMap((fix) => fix.edits))}>
            Apply all safe fixes
          </button>
        )}
      </header>
      <Problems problems={shown} />
    </section>
  );
}

function Outcome({ found }: { found: Verdicts }) {
  return (
    <section aria-labelledby="outcome-title">
      <h2 id="outcome-title">{outcomeWords(found)}</h2>
      <Figures>
        <Figure name="records" before={count(found.records_in)} value={count(found.records_out)} />
        <Figure name="lost" value={count(found.records_in - found.records_out)} note={lost(found)} />
      </Figures>
    </section>
  );
}

function outcomeWords({ ok, broken, checks_nothing }: Verdicts): string {
  if (checks_nothing) return "No check in this policy";
  if (ok) return "No check is violated";
  const what = broken.length > 0 ? `The output violates line ${broken.join(", ")}` : "A check is violated";
  return `${what}: nothing would be written`;
}

function lost({ records_in, records_out, dropped }: Verdicts): string {
  const part = records_in === 0 ? "" : share((records_in - records_out) / records_in);
  return dropped === 0 ? part : `${part}, ${count(dropped)} of them incomplete`;
}

function Requirements({ rows }: { rows: Judged[] }) {
  return (
    <section aria-labelledby="requirements-title">
      <h2 id="requirements-title">Requirements, in order</h2>
      <DataTable
        quiet
        caption="Requirements with verdict and proof"
        head={["Where", { title: "Requirement", optional: true }, "On this table", "On the output", "On every table"]}
      >
        {rows.map((row) => (
          <Row row={row} />
        ))}
      </DataTable>
    </section>
  );
}

function Row({ row: { requirement, text: spelling, proof } }: { row: Judged }) {
  const output = outputBadge(requirement);
  return (
    <tr>
      <td>
        <LineLink line={requirement.line} range={requirement} />
      </td>
      <td class="optional">
        <code class="clipped" title={spelling}>{spelling}</code>
      </td>
      <td>
        <BadgeMark badge={verdictBadge(requirement)} />
      </td>
      <td>{output === null ? "" : <BadgeMark badge={output} />}</td>
      <td>{proof === null ? "" : <BadgeMark badge={proofBadge(proof.verdict)} />}</td>
    </tr>
  );
}

function Remarks({ found }: { found: Verdicts }) {
  if (found.notes.length === 0 && found.unnamed.length === 0) return null;
  return (
    <section aria-labelledby="remarks-title">
      <h2 id="remarks-title">Notes</h2>
      <ul class="plain">
        {found.notes.map((note) => (
          <li>
            {note.line === null ? "" : `Line ${note.line}: `}
            <Prose text={note.text} />
          </li>
        ))}
        {found.unnamed.length > 0 && (
          <li>
            The policy does not name these columns, so they are released unchanged: <strong>{found.unnamed.join(", ")}</strong>
          </li>
        )}
      </ul>
    </section>
  );
}

function Beginning() {
  return (
    <section aria-labelledby="start-title">
      <h2 id="start-title">Getting started</h2>
      <p>
        The policy is empty. In <PlaceLink step="columns" />, assign roles to the columns and insert requirements; or let the
        studio write the policy in <PlaceLink step="rule" panel="search" />.
      </p>
    </section>
  );
}
