/** The answers of a search side by side: as a table to pick from, and as a chart of loss against lost records. */

import { signal } from "@preact/signals";
import type { Alternative, Found, Standing, Style, Tried } from "../api";
import { count, fraction, share, type Badge } from "../words";
import { BadgeMark } from "./badge";
import { Explained } from "./explained";
import { DataTable, Num } from "./table";

const STYLES: Record<Style, string> = {
  cascade: "generalizes only classes that are too small, step by step",
  uniform: "one level for each column, for all records",
  stars: "one level for each column, and * in classes that are still too small",
};

const STANDINGS: Record<Standing | "equal", Badge> = {
  searching: { tone: "plain", sign: "…", word: "searching", brief: "searching", long: "being searched" },
  "least loss": { tone: "good", sign: "✓", word: "least loss", brief: "least loss", long: "loses the least of these answers" },
  "fewer dropped": { tone: "acted", sign: "↓", word: "fewer lost", brief: "fewer lost", long: "loses fewer records than any answer with less loss" },
  beaten: { tone: "plain", sign: "–", word: "another loses less", brief: "another", long: "another answer loses less detail or fewer records, and no more of the other" },
  equal: { tone: "plain", sign: "=", word: "loses the same", brief: "the same", long: "another answer loses as much detail and as many records" },
  same: { tone: "plain", sign: "=", word: "same policy", brief: "same", long: "the same policy as another answer" },
  unreachable: { tone: "bad", sign: "✗", word: "not reached", brief: "not reached", long: "the search did not reach the goal" },
};

type Column = { title: string; value: (answer: Alternative) => number };
const COLUMNS: Record<string, Column> = {
  loss: { title: "Loss", value: (answer) => answer.loss },
  dropped: { title: "Records lost", value: (answer) => answer.dropped },
  cells: { title: "Cells changed", value: (answer) => answer.cells_changed },
  lines: { title: "Lines", value: (answer) => answer.lines },
  risk: { title: "Highest risk", value: (answer) => answer.highest_risk },
  seconds: { title: "Seconds", value: (answer) => answer.seconds },
};
const order = signal<keyof typeof COLUMNS>("loss");

export const isAnswer = (found: Tried | Alternative): found is Alternative => "loss" in found;
export const keyOf = ({ style, max_lost }: Tried): string => `${style} ${max_lost}`;
export const titleOf = ({ style, max_lost }: Tried): string =>
  max_lost === 0 ? `${style}, none lost` : `${style}, at most ${share(max_lost)} lost`;

/** An answer that another one beats only by its lines loses no more than that one. */
function standingOf(answer: Alternative, answers: Alternative[]): Badge {
  const isEqual = answers.some((each) => each.standing !== "beaten" && each.loss === answer.loss && each.dropped === answer.dropped);
  return STANDINGS[answer.standing === "beaten" && isEqual ? "equal" : answer.standing];
}

/** as many digits as tell different losses apart */
const MOST_DIGITS = 9;
function lossText(answers: Alternative[]): (answer: Alternative) => string {
  const losses = [...new Set(answers.map(({ loss }) => loss))];
  let digits = 3;
  while (digits < MOST_DIGITS && new Set(losses.map((loss) => fraction(loss, digits))).size < losses.length) digits++;
  return ({ loss }) => fraction(loss, digits, digits);
}

type Props = { found: (Tried | Alternative)[]; picked: string | null; pick?: (answer: Alternative) => void };

export function Alternatives({ found, picked, pick }: Props) {
  const value = COLUMNS[order.value]?.value ?? (() => 0);
  const answers = found.filter(isAnswer).sort((one, other) => value(one) - value(other));
  const loss = lossText(answers);
  const others = found.filter((each) => !isAnswer(each));
  const sorted = (key: string) => ({ on: order.value === key, by: () => void (order.value = key), up: true });
  return (
    <DataTable
      caption="Answers side by side. Less is better in every column."
      head={["Answer", ...Object.entries(COLUMNS).map(([key, { title }]) => ({ title, number: true, sort: sorted(key) }))]}
    >
      {answers.map((answer) => (
        <tr key={keyOf(answer)} class={picked === keyOf(answer) ? "picked" : ""}>
          <th scope="row">
            <Choice answer={answer} badge={standingOf(answer, answers)} isPicked={picked === keyOf(answer)} pick={pick} />
          </th>
          <Num>{loss(answer)}</Num>
          <Num>{count(answer.dropped)}</Num>
          <Num>{count(answer.cells_changed)}</Num>
          <Num>{count(answer.lines)}</Num>
          <Num>{answer.smallest === 0 ? "–" : `1 in ${count(answer.smallest)}`}</Num>
          <Num>{answer.seconds.toFixed(2)}</Num>
        </tr>
      ))}
      {others.map((tried) => (
        <tr key={keyOf(tried)}>
          <th scope="row">
            {titleOf(tried)} <BadgeMark badge={STANDINGS[tried.standing]} />
          </th>
          <td colSpan={Object.keys(COLUMNS).length}>{tried.reason ?? "…"}</td>
        </tr>
      ))}
    </DataTable>
  );
}

type ChoiceProps = { answer: Alternative; badge: Badge; isPicked: boolean; pick: ((answer: Alternative) => void) | undefined };

function Choice({ answer, badge, isPicked, pick }: ChoiceProps) {
  const words = (
    <span>
      {titleOf(answer)}
      {answer.finished ? "" : ", search ended early"} <BadgeMark badge={badge} />
    </span>
  );
  if (pick === undefined) return words;
  return (
    <label class="choice">
      <input type="radio" name="alternative" aria-label={titleOf(answer)} checked={isPicked} onChange={() => pick(answer)} />
      {words}
    </label>
  );
}

const WIDTH = 420;
const HEIGHT = 170;
const LEFT = 46;
const BOTTOM = 34;
const PADDING = 14;

/** Answers by lost records and loss. The table has the same numbers, so this is one image for screen readers. */
export function FrontChart({ found, picked }: { found: Found; picked: string | null }) {
  const answers = found.alternatives.filter(isAnswer);
  if (answers.length < 2) return null;
  const most = Math.max(1, ...answers.map((each) => each.dropped));
  const highest = Math.max(0.0001, ...answers.map((each) => each.loss));
  const x = (dropped: number) => LEFT + PADDING + ((WIDTH - LEFT - 2 * PADDING) * dropped) / most;
  const y = (loss: number) => PADDING + (HEIGHT - BOTTOM - 2 * PADDING) * (1 - loss / highest);
  return (
    <figure>
      <figcaption>Loss (upward) against records lost (to the right)</figcaption>
      <svg class="chart front" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="Loss of each answer by lost records; the table above has the numbers">
        <line class="grid" x1={LEFT} x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        <line class="grid" x1={LEFT} x2={LEFT} y1={0} y2={HEIGHT - BOTTOM} />
        <text class="axis" x={LEFT - 6} y={y(highest) + 4} text-anchor="end">{fraction(highest)}</text>
        <text class="axis" x={LEFT - 6} y={y(0) + 4} text-anchor="end">0</text>
        <text class="axis" x={x(0)} y={HEIGHT - BOTTOM + 14} text-anchor="middle">0</text>
        <text class="axis" x={x(most)} y={HEIGHT - BOTTOM + 14} text-anchor="end">{count(most)}</text>
        <text class="axis" x={(LEFT + WIDTH) / 2} y={HEIGHT - 6} text-anchor="middle">records lost</text>
        {answers.map((each) => (
          <Point style={each.style} x={x(each.dropped)} y={y(each.loss)} isPicked={keyOf(each) === picked} />
        ))}
      </svg>
    </figure>
  );
}

/** What the styles mean, each with its sign in the chart. */
export function StylesKey() {
  return (
    <ul class="styles">
      {(Object.keys(STYLES) as Style[]).map((style) => (
        <li>
          <svg class="sign" viewBox="0 0 14 14" aria-hidden="true">
            <Point style={style} x={7} y={7} isPicked={false} />
          </svg>{" "}
          <strong>
            <Explained word={style} />
          </strong>: {STYLES[style]}
        </li>
      ))}
    </ul>
  );
}

const R = 5;

/** A shape for each style, because color alone carries no meaning. */
function Point({ style, x, y, isPicked }: { style: Style; x: number; y: number; isPicked: boolean }) {
  const name = isPicked ? "point picked" : "point";
  switch (style) {
    case "cascade":
      return <circle class={name} cx={x} cy={y} r={R} />;
    case "uniform":
      return <rect class={name} x={x - R + 0.5} y={y - R + 0.5} width={2 * R - 1} height={2 * R - 1} />;
    case "stars":
      return <polygon class={name} points={`${x},${y - R} ${x + R},${y + R} ${x - R},${y + R}`} />;
  }
}
