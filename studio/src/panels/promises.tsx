/** What the release promises, and what prevents it, with the controls that change that. */

import { isOld, problems, promises } from "../answers";
import type { Basis, Promised, Role, Sentence } from "../api";
import { Asked, Problems, Since } from "../parts/asked";
import { Explained } from "../parts/explained";
import { LineLink } from "../parts/line";
import { PlaceLink } from "../parts/place_link";
import { Prose } from "../parts/prose";
import { Stepper } from "../parts/stepper";
import { markRole, ROLES, roleOf, undecided } from "../roles";
import { opened, parameterValues } from "../state";
import { count, countNoun, type Tone } from "../words";

const BASES: Record<Basis, { tone: Tone; sign: string; word: string; meaning: string }> = {
  proved: { tone: "good", sign: "∎", word: "proved", meaning: "for every table that this policy can release" },
  checked: { tone: "good", sign: "✓", word: "checked", meaning: "on this table; it is checked again when the release is written" },
  always: { tone: "good", sign: "●", word: "always", meaning: "holds for every release that this policy writes" },
  none: { tone: "plain", sign: "–", word: "not promised", meaning: "judge it yourself" },
  warning: { tone: "open", sign: "△", word: "look here", meaning: "prevents the release, or is easily misunderstood" },
};
const ORDER: Basis[] = ["warning", "proved", "checked", "always", "none"];

export function Promises() {
  const answer = promises.value.value;
  const shown = answer?.promised ?? null;
  return (
    <section aria-labelledby="promises-title" aria-busy={promises.busy.value}>
      <h2 id="promises-title">What this release promises</h2>
      <Since asked={promises.answered.value} />
      <Asked diagnostics={answer?.diagnostics} failure={promises.failure.value} waiting={answer === null}>
        <Unbound names={answer?.unbound ?? []} />
        {shown !== null && (
          <div class={isOld(promises.answered.value) ? "answer old" : "answer"}>
            <Sentences found={shown} />
          </div>
        )}
        <Undecided />
        {(opened.value?.table.columns ?? []).every((column) => roleOf(column) === "none") && (
          <p class="about">
            Give the columns their roles in <PlaceLink step="columns" />.
          </p>
        )}
        <Problems problems={problems.value.filter((each) => each.code === "AC413")} />
      </Asked>
    </section>
  );
}

export function Sentences({ found }: { found: Promised }) {
  const shown = ORDER.map((basis) => ({ basis, sentences: found.sentences.filter((each) => each.basis === basis) }));
  return (
    <>
      <p class="about">
        {countNoun(found.records_in, "record")} in the table, {count(found.records_out)} in the release. The promises are about all records, even if
        other panels show a sample. Records with equal values in some columns form a <Explained word="class" />.
      </p>
      {shown.map(({ basis, sentences }) => sentences.length > 0 && <Group basis={basis} sentences={sentences} />)}
    </>
  );
}

function Group({ basis, sentences }: { basis: Basis; sentences: Sentence[] }) {
  const { tone, sign, word, meaning } = BASES[basis];
  return (
    <>
      <h3>
        <span class={`mark ${tone}`}>
          {sign} {word}
        </span>{" "}
        <small>{meaning}</small>
      </h3>
      <ul class="plain promises">
        {sentences.map((each) => (
          <li>
            <Prose text={each.text} /> <Place sentence={each} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Place({ sentence: { line, from, to } }: { sentence: Sentence }) {
  if (line === null || from === null || to === null) return null;
  return <LineLink line={line} range={{ from, to }} />;
}

/** Parameters of the policy that have no value. */
function Unbound({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  const one = names.length === 1;
  return (
    <div class="banner open" role="group" aria-label="Values that the policy needs">
      <p>
        The policy needs {one ? "a value" : "values"} for {names.map((name, at) => [at > 0 && ", ", <Explained word={name}><code>{name}</code></Explained>])}:
      </p>
      <div class="parameters">
        {names.map((name) => (
          <Stepper
            label={name}
            name={`Value of ${name}`}
            value={parameterValues.value[name] ?? ""}
            set={(value) => void (parameterValues.value = { ...parameterValues.value, [name]: value })}
          />
        ))}
      </div>
    </div>
  );
}

/** Columns without a role: a release needs one for each. */
function Undecided() {
  const columns = undecided.value;
  if (columns.length === 0) return null;
  return (
    <div class="banner open" role="group" aria-label="Columns without a role">
      <p>
        {countNoun(columns.length, "column")} without a role. Choose one for each; <em>other</em> is for columns that neither help to identify a person nor
        are sensitive.
      </p>
      <ul class="plain">
        {columns.map((column) => (
          <li key={column}>
            <label class="row">
              <code>{column}</code>
              <select aria-label={`Role of ${column}`} value={roleOf(column)} onChange={(event) => void markRole([column], event.currentTarget.value as Role)}>
                {ROLES.map((role) => (
                  <option value={role}>{role === "none" ? "no role" : role}</option>
                ))}
              </select>
            </label>
          </li>
        ))}
      </ul>
      {columns.length > 1 && (
        <button type="button" class="small" onClick={() => void markRole(columns, "other")}>
          Mark all as other
        </button>
      )}
    </div>
  );
}
