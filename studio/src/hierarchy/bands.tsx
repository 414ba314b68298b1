/** Bands of numbers: one width, or boundaries on the histogram, moved with the mouse or as numbers with the arrow keys. */

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ColumnHistogram, GroupedColumn } from "../api";
import { showRecords } from "../state";
import { count, countNoun } from "../words";
import { change, done, draft, findCuts, listed, type Draft } from "./draft";

const HEIGHT = 130;
/** A number may be typed with a decimal comma. */
export const withPoint = (value: string): string => value.replace(",", ".");
const bands = signal("5");

export function WidthFields({ found }: { found: Draft }) {
  return (
    <div class="fields">
      <label for="band-widths">Widths, from narrow to wide</label>
      <input id="band-widths" value={found.widths} placeholder="5, 10, 20" onInput={(event) => change({ widths: event.currentTarget.value }, "widths")} />
      <label for="band-from">One open band below</label>
      <input id="band-from" inputMode="decimal" placeholder="none" value={found.from} onInput={(event) => change({ from: withPoint(event.currentTarget.value) }, "from")} />
      <label for="band-to">One open band from</label>
      <input id="band-to" inputMode="decimal" placeholder="none" value={found.upTo} onInput={(event) => change({ upTo: withPoint(event.currentTarget.value) }, "upTo")} />
    </div>
  );
}

export function BoundaryFields({ found, column }: { found: Draft; column: GroupedColumn }) {
  return (
    <>
      <p class="row">
        <label>
          Number of bands{" "}
          <input class="short" inputMode="numeric" value={bands.value} onInput={(event) => void (bands.value = event.currentTarget.value)} />
        </label>
        <button type="button" disabled={!showRecords.value} onClick={() => void findCuts("width", Number.parseInt(bands.value, 10) || 0)}>Equal width</button>
        <button type="button" disabled={!showRecords.value} onClick={() => void findCuts("count", Number.parseInt(bands.value, 10) || 0)}>Equal count</button>
      </p>
      {!showRecords.value && <p class="empty">Turn on “Show values” for boundaries of equal width or count: they are computed from values.</p>}
      <h3 id="boundaries-title">Boundaries</h3>
      <ol class="boundaries" aria-labelledby="boundaries-title">
        {found.cuts.map((cut, at) => (
          <li>
            <input
              class="short"
              inputMode="decimal"
              aria-label={`Boundary ${at + 1}`}
              value={cut}
              onInput={(event) => setCut(at, withPoint(event.currentTarget.value), `cut ${at}`)}
              onKeyDown={(event) => stepCut(event, at, cut, column)}
            />
            <button type="button" class="small quiet" aria-label={`Remove boundary ${at + 1}`} onClick={() => removeCut(at)}>✕</button>
          </li>
        ))}
        <li>
          <button type="button" class="small" onClick={() => addCut(column)}>Add a boundary</button>
        </li>
      </ol>
      <p class="about">A number that equals a boundary belongs to the band above it. The arrow keys move a boundary, with Shift ten times as far.</p>
    </>
  );
}

const cutsNow = (): string[] => draft.peek()?.cuts ?? [];
const setCut = (at: number, value: string, of: string): void => change({ cuts: cutsNow().with(at, value) }, of);

function removeCut(at: number): void {
  const cuts = cutsNow();
  change({ cuts: cuts.toSpliced(at, 1) });
  done.value = `Removed boundary ${cuts[at] ?? ""}`;
}

/** In the middle of the widest gap. */
function addCut(column: GroupedColumn): void {
  const { lowest, highest } = column.histogram ?? { lowest: "0", highest: "100" };
  const ends = [Number(lowest), ...cutsNow().map(Number).filter((cut) => !Number.isNaN(cut)), Number(highest)].sort((one, other) => one - other);
  const gaps = ends.slice(1).map((end, at) => ({ size: end - (ends[at] ?? end), middle: (end + (ends[at] ?? end)) / 2 }));
  const widest = gaps.reduce((one, other) => (other.size > one.size ? other : one));
  const added = spell(widest.middle, column);
  change({ cuts: [...cutsNow(), added].sort((one, other) => Number(one) - Number(other)) });
  done.value = `Added boundary ${added}`;
}

function stepCut(event: KeyboardEvent, at: number, cut: string, column: GroupedColumn): void {
  const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (direction === undefined || Number.isNaN(Number(cut))) return;
  event.preventDefault();
  setCut(at, spell(Number(cut) + direction * stepOf(column) * (event.shiftKey ? 10 : 1), column), `cut ${at}`);
}

/** Integers move by one, other numbers by a tenth of a bar. */
const stepOf = ({ integer, histogram }: GroupedColumn): number => (integer ? 1 : Number(histogram?.width ?? "1") / 10);

function spell(value: number, column: GroupedColumn): string {
  if (column.integer) return String(Math.round(value));
  const step = stepOf(column);
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  return String(Number((Math.round(value / step) * step).toFixed(digits)));
}

/** The cuts that are drawn: those of the draft, or of its first width. */
function shownCuts(found: Draft, { lowest, highest }: ColumnHistogram): number[] {
  if (found.mode === "at") return found.cuts.map(Number).filter((cut) => !Number.isNaN(cut));
  const widths = listed(found.widths).map(Number);
  const width = widths[found.level - 1] ?? widths[0] ?? 0;
  const origin = found.from.trim() === "" ? 0 : Number(found.from);
  const first = found.from.trim() === "" ? Number(lowest) : origin;
  const last = found.upTo.trim() === "" ? Number(highest) : Number(found.upTo);
  if (!(width > 0) || !((last - first) / width < 500)) return [];
  const cuts: number[] = [];
  for (let at = Math.ceil((first - origin) / width); origin + at * width <= last; at++) cuts.push(origin + at * width);
  return cuts;
}

export function CutHistogram({ found, column }: { found: Draft; column: GroupedColumn }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const histogram = column.histogram;
  if (histogram === null) return null;
  const start = Number(histogram.start);
  const reach = Number(histogram.width) * histogram.bars.length;
  const place = (value: number): number => Math.min(1, Math.max(0, (value - start) / reach)) * width;
  const highest = Math.max(...histogram.bars, 1);
  const bar = width / histogram.bars.length;
  const drag = (at: number, x: number) => setCut(at, spell(start + (x / Math.max(width, 1)) * reach, column), `drag ${at}`);
  const name = `Histogram: ${countNoun(column.records, "record")} from ${histogram.lowest} to ${histogram.highest}`;
  return (
    <div class="cuts" ref={box}>
      <svg width="100%" height={HEIGHT} role="img" aria-label={name}>
        {histogram.bars.map((records, at) => (
          <rect class="table" x={at * bar} width={Math.max(bar - 1, 0.5)} y={HEIGHT - (records / highest) * HEIGHT} height={(records / highest) * HEIGHT}>
            <title>{count(records)}</title>
          </rect>
        ))}
        {shownCuts(found, histogram).map((cut, at) => (
          <Cut x={place(cut)} movable={found.mode === "at"} move={(x) => drag(at, x)} />
        ))}
      </svg>
      <p class="row ends">
        <span>{histogram.start}</span>
        <span>{spell(start + reach, column)}</span>
      </p>
    </div>
  );
}

/** A boundary; a wide area around the line can be dragged. */
function Cut({ x, movable, move }: { x: number; movable: boolean; move: (x: number) => void }) {
  const begin = (event: PointerEvent) => {
    if (movable && event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const follow = (event: PointerEvent) => {
    const handle = event.currentTarget;
    if (!(handle instanceof SVGElement) || !handle.hasPointerCapture(event.pointerId)) return;
    move(event.clientX - (handle.ownerSVGElement?.getBoundingClientRect().left ?? 0));
  };
  return (
    <g>
      <line class="cut" x1={x} x2={x} y1={0} y2={HEIGHT} />
      {movable && <rect class="handle" x={x - 12} y={0} width={24} height={HEIGHT} onPointerDown={begin} onPointerMove={follow} />}
    </g>
  );
}

function useWidth(box: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
