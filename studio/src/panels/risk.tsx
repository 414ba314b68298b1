/** The disclosure risk before and after the policy, and in pinned versions. */

import { risk } from "../answers";
import type { Driver, Risk, RiskSide } from "../api";
import { Asked } from "../parts/asked";
import { Chart } from "../parts/chart";
import { Figure, Figures } from "../parts/figures";
import { PanelLink } from "../parts/panel_link";
import { Prose } from "../parts/prose";
import { DataTable, Num } from "../parts/table";
import { isNow, pin, pins, restore, unpin, type Pin } from "../pins";
import { count, fraction, share } from "../words";

export function RiskPanel() {
  const answer = risk.value.value;
  return (
    <Asked diagnostics={answer?.diagnostics} failure={risk.failure.value} waiting={answer === null}>
      {answer?.risk?.before.quasi_identifiers.length === 0 && <MarkFirst />}
      {answer?.risk && <Compared found={answer.risk} />}
      {answer?.risk && <Drivers drivers={answer.risk.drivers} />}
      {answer?.risk && <Sizes found={answer.risk} />}
    </Asked>
  );
}

function MarkFirst() {
  return (
    <p class="empty">
      Risk is measured by quasi-identifiers. Mark them in <PanelLink to="Table" /> first.
    </p>
  );
}

type Version = { title: string; side: RiskSide };

function Compared({ found }: { found: Risk }) {
  const { before, after } = found;
  const versions: Version[] = [
    { title: "Before", side: before },
    ...pins.value.map((each) => ({ title: each.name, side: each.after })),
    ...(after === null ? [] : [{ title: "After", side: after }]),
  ];
  const current = risk.answered.value;
  return (
    <section aria-labelledby="risk-title">
      <header class="row">
        <h2 id="risk-title">Before and after</h2>
        {after !== null && (
          <button type="button" class="small" onClick={() => current && pin(current.text, current.params, after)}>
            Pin this version
          </button>
        )}
      </header>
      {after !== null && <Glance before={before} after={after} />}
      <p class="about">
        By {before.quasi_identifiers.join(", ")}. Pin a version to compare it with later ones.
      </p>
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
      <Figure name="k, the smallest class" {...of((side) => orNone(side.k, count))} />
      <Figure name="unique records" {...of((side) => count(side.uniques))} />
      <Figure name="highest risk" {...of((side) => orNone(side.prosecutor?.max, share))} />
    </Figures>
  );
}

type Measure = { name: string; help: string; of: (side: RiskSide) => string };

const orNone = (value: number | null | undefined, words: (number: number) => string): string =>
  value === null || value === undefined ? "–" : words(value);

const MEASURES: Measure[] = [
  { name: "records", help: "", of: (side) => count(side.records) },
  { name: "k", help: "records in the smallest class", of: (side) => orNone(side.k, count) },
  { name: "classes", help: "groups of records with equal quasi-identifiers", of: (side) => count(side.classes) },
  { name: "unique records", help: "alone in their class", of: (side) => count(side.uniques) },
  { name: "highest prosecutor risk", help: "the attacker knows the person is in the table", of: (side) => orNone(side.prosecutor?.max, share) },
  { name: "average prosecutor risk", help: "", of: (side) => orNone(side.prosecutor?.average, share) },
];

/** Known only with a table of the population. */
const JOURNALIST: Measure[] = [
  { name: "highest journalist risk", help: "the attacker knows the person is in the population", of: (side) => orNone(side.journalist?.max, share) },
  { name: "average journalist risk", help: "", of: (side) => orNone(side.journalist?.average, share) },
];

function belowMeasures(side: RiskSide): Measure[] {
  return side.below.map(({ k }) => ({
    name: `in classes under ${k}`,
    help: "records",
    of: (each) => orNone(each.below.find((one) => one.k === k)?.records, count),
  }));
}

function sensitiveMeasures(side: RiskSide): Measure[] {
  return side.sensitive.flatMap(({ column }) => {
    const of = (each: RiskSide) => each.sensitive.find((one) => one.column === column);
    return [
      { name: `l of ${column}`, help: "smallest number of distinct values in a class", of: (each: RiskSide) => orNone(of(each)?.distinct_l, count) },
      { name: `t of ${column}`, help: "largest distance of a class from the whole table", of: (each: RiskSide) => orNone(of(each)?.t, fraction) },
    ];
  });
}

function measuresFor(sides: RiskSide[]): Measure[] {
  const journalist = sides.some((side) => side.journalist !== null) ? JOURNALIST : [];
  const [first] = sides;
  return first === undefined ? [] : [...MEASURES, ...journalist, ...belowMeasures(first), ...sensitiveMeasures(first)];
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
            {measure.name} <small>{measure.help}</small>
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

function Drivers({ drivers }: { drivers: Driver[] }) {
  if (drivers.length === 0) return null;
  const worst = mostRevealing(drivers);
  return (
    <section aria-labelledby="drivers-title">
      <h2 id="drivers-title">Columns that drive the risk</h2>
      <p class="about">The smallest class and the unique records without one of the quasi-identifiers.</p>
      <DataTable
        quiet
        caption="Risk without each column"
        head={["Without", { title: "k before", number: true }, { title: "k after", number: true }, { title: "Unique before", number: true }, { title: "Unique after", number: true }]}
      >
        {drivers.map((driver) => (
          <tr>
            <th scope="row">
              {driver.column} {driver === worst && <span class="mark open">▲ drives risk most</span>}
            </th>
            <Num>{orNone(driver.before.k_without, count)}</Num>
            <Num>{orNone(driver.k_without, count)}</Num>
            <Num>{count(driver.before.uniques_without)}</Num>
            <Num>{count(driver.uniques_without)}</Num>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function Sizes({ found }: { found: Risk }) {
  return (
    <section aria-labelledby="sizes-title">
      <h2 id="sizes-title">Records by class size</h2>
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
        <DataTable quiet caption="Records by class size" head={["Class size", { title: "Before", number: true }, { title: "After", number: true }]}>
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
