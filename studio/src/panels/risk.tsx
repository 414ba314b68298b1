/** The disclosure risk before and after the policy, and in pinned versions. */

import { risk } from "../answers";
import type { Driver, Risk, RiskSide } from "../api";
import { Asked } from "../parts/asked";
import { Chart } from "../parts/chart";
import { Explained } from "../parts/explained";
import { Figure, Figures } from "../parts/figures";
import { PlaceLink } from "../parts/place_link";
import { Prose } from "../parts/prose";
import { DataTable, Num } from "../parts/table";
import { chosenWeight, opened, roles, weightColumn } from "../state";
import { isNow, pin, pins, restore, unpin, type Pin } from "../pins";
import { count, countNoun, fraction, share } from "../words";
import { RecordRisks } from "./record_risks";

export function RiskPanel() {
  const answer = risk.value.value;
  return (
    <Asked diagnostics={answer?.diagnostics} failure={risk.failure.value} waiting={answer === null} about={risk.answered.value}>
      {answer?.risk?.before.quasi_identifiers.length === 0 && <MarkFirst />}
      {answer?.risk && <Compared found={answer.risk} />}
      {answer?.risk === null && chosenWeight.value !== null && <WeightChoice found={null} />}
      {answer?.risk && <Drivers found={answer.risk} />}
      {answer?.risk && <Sizes found={answer.risk} />}
      {answer?.risk && <RecordRisks />}
    </Asked>
  );
}

function MarkFirst() {
  return (
    <p class="empty">
      The risk depends on the quasi-identifiers. Mark them in <PlaceLink step="columns" /> first.
    </p>
  );
}

type Version = { title: string; side: RiskSide };

function Compared({ found }: { found: Risk }) {
  const { before, after } = found;
  const by = before.quasi_identifiers.join(", ");
  const versions: Version[] = [
    { title: "Before", side: before },
    ...pins.value.map((each) => ({ title: each.by === by ? each.name : `${each.name}, by ${each.by}`, side: each.after })),
    ...(after === null ? [] : [{ title: "After", side: after }]),
  ];
  const current = risk.answered.value;
  return (
    <section aria-labelledby="risk-title">
      <header class="row">
        <h2 id="risk-title">Before and after</h2>
        {after !== null && (
          <button type="button" class="small" onClick={() => current && pin(current.text, current.params, by, after)}>
            Pin this version
          </button>
        )}
      </header>
      {after !== null && <Glance before={before} after={after} />}
      <p class="about">
        By {by}. Pin a version to compare it with later ones.
      </p>
      {found.persons.map((sentence) => (
        <p class="about">{sentence}</p>
      ))}
      <WeightChoice found={found} />
      {found.notes.map((note) => (
        <p class="stale">
          △ <Prose text={note} />
        </p>
      ))}
      <Measures versions={versions} />
      <PinList />
    </section>
  );
}

function Glance({ before, after }: { before: RiskSide; after: RiskSide }) {
  const of = (words: (side: RiskSide) => string) => ({ before: words(before), value: words(after) });
  return (
    <Figures>
      <Figure name={<Explained word="k-anonymity">{anonymity(nouns([before, after]))}</Explained>} {...of((side) => orNone(side.k, count))} />
      <Figure name={<Explained word="unique records">{`unique ${nouns([before, after])}`}</Explained>} {...of((side) => count(side.uniques))} />
      <Figure name={<Explained word="prosecutor risk">highest prosecutor risk</Explained>} {...of((side) => orNone(side.prosecutor?.max, share))} />
    </Figures>
  );
}

/** `word` has the sentence that explains it */
type Measure = { name: string; word?: string; of: (side: RiskSide) => string };

const orNone = (value: number | null | undefined, words: (number: number) => string): string =>
  value === null || value === undefined ? "–" : words(value);

/** What the classes of some versions count: a release often lacks the column that tells persons apart. */
const nouns = (sides: RiskSide[]): string => [...new Set(sides.map((side) => side.counted))].join(" or ");

/** as `acompass measure` and the reports name it */
const anonymity = (noun: string): string => (noun === "records" ? "k-anonymity" : `k-anonymity, in ${noun}`);

function sizeMeasures(sides: RiskSide[], noun: string): Measure[] {
  const thresholds = sides[0]?.below ?? [];
  const persons: Measure = { name: "persons", of: (side) => orNone(side.persons, count) };
  return [
    { name: "records", of: (side) => count(side.records) },
    ...(sides.some((side) => side.persons !== null) ? [persons] : []),
    { name: anonymity(noun), word: "k-anonymity", of: (side) => orNone(side.k, count) },
    { name: "classes", word: "class", of: (side) => count(side.classes) },
    { name: `unique ${noun}`, word: "unique records", of: (side) => count(side.uniques) },
    ...thresholds.map(({ k }) => ({
      name: `${noun} in classes below ${k}`,
      word: "records in classes below k",
      of: (side: RiskSide) => orNone(side.below.find((one) => one.k === k)?.records, count),
    })),
  ];
}

/** The attackers whose risk is known in some version. */
function attackerMeasures(sides: RiskSide[]): Measure[] {
  const pair = (name: string, of: (side: RiskSide) => RiskSide["prosecutor"]): Measure[] =>
    sides.every((side) => of(side) === null)
      ? []
      : [
          { name: `highest ${name}`, word: name, of: (side) => orNone(of(side)?.max, share) },
          { name: `average ${name}`, word: name, of: (side) => orNone(of(side)?.average, share) },
        ];
  const expected: Measure = { name: "expected re-identifications", word: "expected re-identifications", of: (side) => orNone(side.expected, fraction) };
  return [
    ...pair("prosecutor risk", (side) => side.prosecutor),
    ...pair("journalist risk", (side) => side.journalist),
    { name: "marketer risk", word: "marketer risk", of: (side) => orNone(side.marketer, share) },
    ...pair("individual risk", (side) => side.individual),
    ...(sides.some((side) => side.expected !== null) ? [expected] : []),
  ];
}

function sensitiveMeasures(side: RiskSide | undefined): Measure[] {
  return (side?.sensitive ?? []).flatMap(({ column }) => {
    const of = (each: RiskSide) => each.sensitive.find((one) => one.column === column);
    return [
      { name: `distinct l-diversity of ${column}`, word: "distinct l-diversity", of: (each: RiskSide) => orNone(of(each)?.distinct_l, count) },
      { name: `t-closeness of ${column}`, word: "t-closeness", of: (each: RiskSide) => orNone(of(each)?.t, fraction) },
    ];
  });
}

const measuresFor = (sides: RiskSide[]): Measure[] =>
  sides.length === 0 ? [] : [...sizeMeasures(sides, nouns(sides)), ...attackerMeasures(sides), ...sensitiveMeasures(sides[0])];

/** Weights of a survey, unless persons are counted or the population is known. */
function WeightChoice({ found }: { found: Risk | null }) {
  const used = found === null ? [] : [...found.before.quasi_identifiers, ...found.before.sensitive.map(({ column }) => column)];
  const columns = (opened.value?.table.columns ?? []).filter((name) => !used.includes(name));
  const population = found?.before.population ?? null;
  if (found?.has_population) return null;
  if (roles.value.person !== null) return <p class="about">Sampling weights need a table with one record for each person.</p>;
  return (
    <p>
      <label>
        Sampling weights:{" "}
        <select value={weightColumn.value ?? ""} onChange={(event) => void (chosenWeight.value = event.currentTarget.value || null)}>
          <option value="">none: the table is not a sample, or has no weights</option>
          {columns.map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>{" "}
      <small>
        {population === null
          ? "The studio estimates journalist and individual risk from the number of persons that each record stands for."
          : `The records stand for ${countNoun(Math.round(population), "person")} of the population.`}
      </small>
    </p>
  );
}

function Measures({ versions }: { versions: Version[] }) {
  const measures = measuresFor(versions.map(({ side }) => side));
  return (
    <DataTable
      quiet
      caption="Risk before and after"
      head={["Measure", ...versions.map(({ title }) => ({ title, number: true }))]}
    >
      {measures.map((measure) => (
        <tr>
          <th scope="row">
            {measure.word === undefined ? measure.name : <Explained word={measure.word}>{measure.name}</Explained>}
          </th>
          {versions.map(({ side }) => (
            <Num>{measure.of(side)}</Num>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}

function PinList() {
  if (pins.value.length === 0) return null;
  return (
    <ul class="plain">
      {pins.value.map((each) => (
        <PinRow pinned={each} />
      ))}
    </ul>
  );
}

function PinRow({ pinned }: { pinned: Pin }) {
  return (
    <li class="row">
      <span>
        <strong>{pinned.name}</strong> {pinned.about}
        {isNow(pinned) && ", current version"}
      </span>
      <span class="buttons">
        <button type="button" class="small quiet" aria-label={`Restore ${pinned.name}`} onClick={() => restore(pinned)}>
          Restore
        </button>
        <button type="button" class="small quiet" aria-label={`Unpin ${pinned.name}`} onClick={() => unpin(pinned)}>
          Unpin
        </button>
      </span>
    </li>
  );
}

/** The column whose removal gains most: first in k, then in unique records, after and then before. */
function mostRevealing(drivers: Driver[]): Driver | undefined {
  const gain = ({ k_without, uniques_without, before }: Driver) => [k_without ?? 0, -uniques_without, before.k_without ?? 0, -before.uniques_without];
  const better = (one: number[], other: number[]) => one.map((each, at) => each - (other[at] ?? 0)).find((each) => each !== 0) ?? 0;
  const [first, second] = [...drivers].sort((one, other) => better(gain(other), gain(one)));
  return first && second && better(gain(first), gain(second)) > 0 ? first : undefined;
}

function Drivers({ found: { drivers, before, after } }: { found: Risk }) {
  if (drivers.length === 0) return null;
  const worst = mostRevealing(drivers);
  const unique = `unique ${nouns([before, after ?? before])}`;
  const head = ["k", "unique", "risk"].flatMap((name) => [`${name} before`, `${name} after`]);
  return (
    <section aria-labelledby="drivers-title">
      <h2 id="drivers-title">Columns that drive the risk</h2>
      <p class="about">
        <Explained word="k-anonymity">k</Explained>, {unique} and average <Explained word="prosecutor risk" />, with all quasi-identifiers and
        without each of them. Generalize or drop first the column without which the risk falls most.
      </p>
      <DataTable quiet caption="Risk without each column" head={["Quasi-identifiers", ...head.map((title) => ({ title, number: true }))]}>
        <tr>
          <th scope="row">all</th>
          <Num>{orNone(before.k, count)}</Num>
          <Num>{orNone(after?.k, count)}</Num>
          <Num>{count(before.uniques)}</Num>
          <Num>{orNone(after?.uniques, count)}</Num>
          <Num>{orNone(before.prosecutor?.average, share)}</Num>
          <Num>{orNone(after?.prosecutor?.average, share)}</Num>
        </tr>
        {drivers.map((driver) => (
          <tr>
            <th scope="row">
              without {driver.column} {driver === worst && <span class="mark open">▲ drives risk most</span>}
            </th>
            <Num>{orNone(driver.before.k_without, count)}</Num>
            <Num>{orNone(after && driver.k_without, count)}</Num>
            <Num>{count(driver.before.uniques_without)}</Num>
            <Num>{orNone(after && driver.uniques_without, count)}</Num>
            <Num>{orNone(driver.before.risk_without, share)}</Num>
            <Num>{orNone(after && driver.risk_without, share)}</Num>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function Sizes({ found }: { found: Risk }) {
  const noun = nouns(found.after === null ? [found.before] : [found.before, found.after]);
  const title = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} by class size`;
  return (
    <section aria-labelledby="sizes-title">
      <h2 id="sizes-title">{title}</h2>
      <ul class="key">
        <li>
          <span class="swatch before" /> before
        </li>
        <li>
          <span class="swatch after" /> after
        </li>
      </ul>
      <Chart source={found.chart} />
      <details>
        <summary>Show as a table</summary>
        <DataTable quiet caption={title} head={["Class size", { title: "Before", number: true }, { title: "After", number: true }]}>
          {found.sizes.map(({ size, before, after }) => (
            <tr>
              <th scope="row">{size}</th>
              <Num>{count(before.records)}</Num>
              <Num>{orNone(after?.records, count)}</Num>
            </tr>
          ))}
        </DataTable>
      </details>
    </section>
  );
}
