/** What holds for every table this policy can produce: claims, arguments and counterexamples. */

import { signal } from "@preact/signals";
import { proofs } from "../answers";
import type { Claim, Counterexample, Proof } from "../api";
import { Call } from "../calls";
import { Asked, Since } from "../parts/asked";
import { BadgeMark } from "../parts/badge";
import { LineLink } from "../parts/line";
import { Prose } from "../parts/prose";
import { DataTable } from "../parts/table";
import { ask } from "../state";
import { proofBadge } from "../words";

const typed = signal("");
const claim = new Call("claim");

export function ProofPanel() {
  const answer = proofs.value.value;
  return (
    <>
      <OwnClaim />
      <Asked diagnostics={answer?.diagnostics} failure={proofs.failure.value} waiting={answer === null} about={proofs.answered.value}>
        {answer?.proofs && <PolicyClaims claims={answer.proofs} />}
      </Asked>
    </>
  );
}

function OwnClaim() {
  const submit = (event: Event) => {
    event.preventDefault();
    void claim.start({ ...ask.peek(), claim: typed.peek() });
  };
  const answer = claim.value.value;
  return (
    <section aria-labelledby="claim-title">
      <h2 id="claim-title">Check whether a claim always holds</h2>
      <form class="row grow" onSubmit={submit}>
        <label class="hidden" for="claim">
          Claim
        </label>
        <input
          id="claim"
          class="wide code"
          placeholder="EACH RESULT : age <= 80"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <button type="submit">Prove or refute</button>
      </form>
      <p class="about">An assertion without an action that should hold for every table this policy can produce.</p>
      {(answer !== null || claim.failure.value !== null) && (
        <Asked diagnostics={answer?.diagnostics} failure={claim.failure.value} waiting={false} about={claim.answered.value}>
          <Since asked={claim.answered.value} />
          {answer?.claim && <Verdict claim={answer.claim} />}
        </Asked>
      )}
    </section>
  );
}

function Verdict({ claim: { text, verdict, reason, counterexample } }: { claim: Claim }) {
  return (
    <div class="claim" role="status">
      <p>
        <BadgeMark badge={proofBadge(verdict)} long /> <code>{text}</code>
      </p>
      <Reason reason={reason} />
      {counterexample !== null && <Counter found={counterexample} />}
    </div>
  );
}

function PolicyClaims({ claims }: { claims: Proof[] }) {
  if (claims.length === 0) return <p class="empty">The policy has no assertions yet.</p>;
  return (
    <section aria-labelledby="claims-title">
      <h2 id="claims-title">The policy's own assertions</h2>
      {claims.map((each) => (
        <PolicyClaim claim={each} />
      ))}
    </section>
  );
}

function PolicyClaim({ claim: each }: { claim: Proof }) {
  return (
    <article class="claim">
      <p>
        <BadgeMark badge={proofBadge(each.verdict)} /> <LineLink line={each.line} range={each} /> <code>{each.claim}</code>
      </p>
      <details open={each.verdict === "refuted"}>
        <summary>{each.verdict === "refuted" ? "Counterexample" : "Argument"}</summary>
        <Reason reason={each.reason} />
        {each.counterexample !== null && <Counter found={each.counterexample} />}
      </details>
    </article>
  );
}

function Reason({ reason }: { reason: string }) {
  const lines = reason.split("\n").filter((line) => line.trim() !== "");
  return (
    <ul class="reason">
      {lines.map((line) => (
        <li><Prose text={line.trim()} /></li>
      ))}
    </ul>
  );
}

function Counter({ found }: { found: Counterexample }) {
  return (
    <>
      <div class="side-by-side">
        <Records caption="Example input" columns={found.columns.map((column) => column.name)} records={found.before} />
        <Records caption="Output of the policy" columns={found.after_columns} records={found.after} />
      </div>
      {found.trace.length > 0 && <p class="about">Random numbers drawn: {found.trace.join(", ")}</p>}
    </>
  );
}

function Records({ caption, columns, records }: { caption: string; columns: string[]; records: string[][] }) {
  return (
    <DataTable caption={caption} head={columns}>
      {records.length === 0 && (
        <tr>
          <td colSpan={columns.length}>no records</td>
        </tr>
      )}
      {records.map((record) => (
        <tr>
          {record.map((value) => (
            <td>{value}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}
