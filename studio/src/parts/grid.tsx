/**
 * A table of any number of records, of which only the visible part is in the page. One tab stop: arrow keys, PageUp, PageDown, Home
 * and End (with Ctrl: first and last record) move the active cell; Enter on a head enters its control, Escape leaves it.
 *
 * Props of `Grid`:
 * - `label`: the grid's accessible name.
 * - `columns`: `key` (unique), `title`, and optionally `number` (aligned right), `head` (what the head shows instead of the title; give
 *   its controls `tabIndex={-1}`, as Enter enters the first one), `mark` (a CSS class of the whole column).
 * - `rows`: the number of records; `headHeight` in rem, 2 by default.
 * - `fetch(first, count, signal)`: a page of cells in the order of `columns`; one page is requested at a time. A cell is a text, null for a
 *   missing value, or `{ text, mark, title }` with a CSS class (`changed`, `dropped` …) and a title; do not mark by color alone.
 * - `source`: pages are requested again when it changes.
 * - `hidden`: a sentence instead of the records; only the heads are shown, and nothing is fetched.
 * - `rowName(row)`: the head of a row; by default the number of the record.
 * - `selected` and `onSelect(key)`: the column whose cells are highlighted, and the column of the cell that became active.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { count } from "../words";
import { isMarked, Pages, type Cell, type FetchPage } from "./pages";

export type { Cell, FetchPage } from "./pages";
export type GridColumn = { key: string; title: string; number?: boolean; mark?: string; head?: () => ComponentChildren };
export type GridProps = {
  label: string;
  columns: GridColumn[];
  rows: number;
  fetch: FetchPage;
  source: string;
  hidden?: string | null;
  headHeight?: number;
  rowName?: (row: number) => string;
  selected?: string | null;
  onSelect?: (key: string) => void;
};

/** Browsers limit the height of an element, some to 17 million pixels at a zoom of 100 %. A longer table is scrolled in proportion. */
const TALLEST = 5_000_000;
const ROW = 2;
const HEAD = 2;
const NARROWEST = 5;
const WIDEST = 18;
/** the width of a letter, and of what surrounds a text, in rem */
const LETTER = 0.55;
const AROUND = 1.5;
/** up to this many columns, all are in the page */
const FEW_COLUMNS = 30;
const SETTLED = 150;

type Place = { row: number; column: number };
const HEAD_ROW = -1;

export function Grid(props: GridProps) {
  const { label, columns, fetch, source, hidden = null, headHeight = HEAD, rowName = (row) => count(row + 1), selected = null, onSelect } = props;
  const rows = hidden === null ? props.rows : 0;
  const box = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const pages = useMemo(() => new Pages(source, fetch, () => redraw(undefined)), [source]);
  useEffect(() => () => pages.stop(), [pages]);
  const rem = useMemo(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize), []);
  const [active, setActive] = useState<Place>({ row: HEAD_ROW, column: 0 });
  const [focused, setFocused] = useState(false);

  const row = ROW * rem;
  const head = headHeight * rem;
  const natural = rows * row;
  const drawn = Math.min(natural, TALLEST);
  const left = (count(Math.max(rows, 1)).length * LETTER + AROUND) * rem;
  const lefts = useLefts(columns, rows === 0 ? null : pages.first, rem, left);
  const width = lefts[columns.length] ?? left;
  const view = useView(box, { natural, drawn, head }, redraw);

  const firstRow = Math.max(0, Math.floor(view.top / row));
  const lastRow = Math.min(rows, Math.ceil((view.top + view.height) / row));
  const all = columns.length <= FEW_COLUMNS;
  const shown = columns.flatMap((_, at) => (all || isBetween(lefts, at, view.left, view.left + view.width) ? [at] : []));
  useEffect(() => pages.want(firstRow, lastRow), [pages, firstRow, lastRow]);

  const moveTo = (to: Place) => {
    const next = { row: clamp(to.row, HEAD_ROW, rows - 1), column: clamp(to.column, 0, columns.length) };
    setActive(next);
    const edges: [number, number] = next.column === 0 ? [left, left] : [lefts[next.column - 1] ?? 0, lefts[next.column] ?? 0];
    view.reveal(next.row === HEAD_ROW ? null : next.row * row, row, edges, left);
    const column = columns[next.column - 1];
    if (column !== undefined) onSelect?.(column.key);
  };
  const page = Math.max(1, Math.floor(view.height / row) - 1);
  const keys = (event: KeyboardEvent) => {
    if (event.target !== box.current) {
      if (event.key === "Escape") box.current?.focus();
      return;
    }
    if (event.key === "Enter" || event.key === "F2") {
      if (enterCell(box.current, active)) event.preventDefault();
      return;
    }
    const to = target(event, active, { rows, columns: columns.length, page });
    if (to === null) return;
    event.preventDefault();
    moveTo(to);
  };
  const click = (event: MouseEvent) => {
    const cell = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (cell === null) return;
    moveTo({ row: Number(cell.dataset.row), column: Number(cell.dataset.column) });
    if ((event.target as Element).closest("select, button, input") === null) box.current?.focus();
  };

  const cellProps = (at: Place, key: string | null, mark = "") => ({
    id: cellId(label, at),
    "aria-colindex": at.column + 1,
    "data-row": at.row,
    "data-column": at.column,
    class: [
      "cell",
      mark,
      key !== null && key === selected ? "selected" : "",
      focused && at.row === active.row && at.column === active.column ? "active" : "",
      at.column === 0 ? "first" : columns[at.column - 1]?.number ? "number" : "",
    ]
      .filter((name) => name !== "")
      .join(" "),
    style: at.column === 0 ? { width: px(left) } : { left: px(lefts[at.column - 1] ?? 0), width: px((lefts[at.column] ?? 0) - (lefts[at.column - 1] ?? 0)) },
  });
  const isDrawn = active.row === HEAD_ROW || (active.row >= firstRow && active.row < lastRow);
  const isActiveDrawn = isDrawn && (active.column === 0 || shown.includes(active.column - 1));

  return (
    <>
      <div
        class="data-grid"
        role="grid"
        tabIndex={0}
        ref={box}
        aria-label={label}
        aria-rowcount={rows + 1}
        aria-colcount={columns.length + 1}
        aria-busy={pages.busy}
        aria-activedescendant={isActiveDrawn ? cellId(label, active) : undefined}
        onScroll={view.scrolled}
        onKeyDown={keys}
        onClick={click}
        onFocusIn={(event) => setFocused(event.target === box.current)}
        onFocusOut={() => setFocused(false)}
      >
        <div class="length" style={{ height: px(head + drawn), width: px(width) }}>
          <div class="view" style={{ height: px(Math.min(view.height, drawn) + head) }}>
            <div class="heads" role="row" aria-rowindex={1} style={{ height: px(head) }}>
              <div role="columnheader" {...cellProps({ row: HEAD_ROW, column: 0 }, null)}>
                <span class="hidden">Record</span>
              </div>
              {shown.map((at) => (
                <Head key={columns[at]?.key} column={columns[at]} cell={cellProps({ row: HEAD_ROW, column: at + 1 }, columns[at]?.key ?? null, columns[at]?.mark)} />
              ))}
            </div>
            <div class="rows" role="rowgroup">
              {range(firstRow, lastRow).map((at) => (
                <div key={at} role="row" class="row-of-cells" aria-rowindex={at + 2} style={{ transform: `translateY(${at * row - view.top}px)`, height: px(row) }}>
                  <div role="rowheader" {...cellProps({ row: at, column: 0 }, null)}>
                    {rowName(at)}
                  </div>
                  {shown.map((place) => (
                    <Data
                      key={place}
                      cell={pages.cell(at, place)}
                      attributes={cellProps({ row: at, column: place + 1 }, columns[place]?.key ?? null, columns[place]?.mark)}
                    />
                  ))}
                </div>
              ))}
            </div>
          </div>
        </div>
      </div>
      {hidden !== null && <p class="about">{hidden}</p>}
      {pages.failure !== null && (
        <p class="about" role="status">
          {pages.failure}{" "}
          <button type="button" class="small" onClick={() => pages.want(firstRow, lastRow)}>
            Try again
          </button>
        </p>
      )}
    </>
  );
}

type CellAttributes = { id: string; class: string; style: { left?: string; width: string } };

function Head({ column, cell }: { column: GridColumn | undefined; cell: CellAttributes }) {
  return (
    <div role="columnheader" {...cell}>
      {column?.head === undefined ? <span class="title">{column?.title}</span> : column.head()}
    </div>
  );
}

function Data({ cell, attributes }: { cell: Cell | undefined; attributes: CellAttributes }) {
  const { text, mark = "", title } = isMarked(cell) ? cell : { text: cell };
  const state = text === undefined ? "awaited" : text === null ? "missing" : "";
  return (
    <div role="gridcell" {...attributes} class={`${attributes.class} ${mark} ${state}`} title={title ?? (text !== null && text !== undefined && text.length > LONG ? text : undefined)}>
      {text === undefined ? "…" : text === null ? <span class="none">missing</span> : text}
    </div>
  );
}

const LONG = 24;
const px = (length: number): string => `${length}px`;
const range = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));
const isBetween = (lefts: number[], at: number, from: number, to: number): boolean => (lefts[at + 1] ?? 0) > from && (lefts[at] ?? 0) < to;
const cellId = (label: string, { row, column }: Place): string => `${label.replace(/\W+/g, "-")}-${row}-${column}`;

/** Whether the cell has a control, which then has the focus. */
function enterCell(box: HTMLElement | null, { row, column }: Place): boolean {
  const control = box?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"] :is(select, button, input)`);
  control?.focus();
  return control !== null && control !== undefined;
}

/** Where a key leads; null for other keys. */
function target(event: KeyboardEvent, { row, column }: Place, size: { rows: number; columns: number; page: number }): Place | null {
  const far = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case "ArrowUp":
      return { row: row - 1, column };
    case "ArrowDown":
      return { row: row + 1, column };
    case "ArrowLeft":
      return { row, column: column - 1 };
    case "ArrowRight":
      return { row, column: column + 1 };
    case "PageUp":
      return { row: row - size.page, column };
    case "PageDown":
      return { row: row + size.page, column };
    case "Home":
      return far ? { row: 0, column: 0 } : { row, column: 0 };
    case "End":
      return far ? { row: size.rows - 1, column: size.columns } : { row, column: size.columns };
    default:
      return null;
  }
}

/** The left edge of each column and the right edge of the last one. Columns are as wide as their title or the first records need. */
function useLefts(columns: GridColumn[], first: Cell[][] | null, rem: number, left: number): number[] {
  const titles = columns.map(({ key, title, head }) => `${key} ${title} ${head === undefined}`).join("\n");
  return useMemo(() => {
    const edges = [left];
    columns.forEach(({ title, head }, at) => {
      const longest = Math.max(title.length, ...(first ?? []).map((row) => textOf(row[at]).length));
      const least = head === undefined ? NARROWEST : HEAD_WIDTH;
      edges.push((edges[at] ?? 0) + clamp(longest * LETTER + AROUND, least, WIDEST) * rem);
    });
    return edges;
  }, [titles, first, rem, left]);
}

/** the width that a head with controls needs, in rem */
const HEAD_WIDTH = 10;
const textOf = (cell: Cell | undefined): string => (isMarked(cell) ? (cell.text ?? "") : (cell ?? ""));

type Extent = { natural: number; drawn: number; head: number };
type View = {
  top: number;
  height: number;
  left: number;
  width: number;
  scrolled: () => void;
  reveal: (top: number | null, height: number, columns: [number, number], fixed: number) => void;
};

/**
 * The visible part of the records in pixels, as if every record had its place. A table that is too tall for a browser moves by as many
 * pixels as the user scrolls, and by proportion if the scrollbar is dragged; when it rests, the scrollbar is set to its proportion.
 */
function useView(box: { current: HTMLElement | null }, { natural, drawn, head }: Extent, redraw: (nothing: void) => void): View {
  const state = useRef({ top: 0, scrolled: 0, left: 0, height: 0, width: 0, timer: 0 }).current;
  const most = () => Math.max(0, natural - state.height);
  const mostScrolled = () => Math.max(0, drawn - state.height);
  const synchronize = () => {
    const element = box.current;
    if (element === null || natural <= drawn) return;
    element.scrollTop = Math.round((state.top / Math.max(1, most())) * mostScrolled());
    state.scrolled = element.scrollTop;
  };
  const place = (top: number) => {
    state.top = clamp(top, 0, most());
    if (natural > drawn) synchronize();
    else if (box.current !== null) state.scrolled = box.current.scrollTop = state.top;
    redraw();
  };
  const scrolled = () => {
    const element = box.current;
    if (element === null) return;
    const by = element.scrollTop - state.scrolled;
    state.left = element.scrollLeft;
    state.scrolled = element.scrollTop;
    if (natural <= drawn) state.top = element.scrollTop;
    else if (by !== 0) {
      const isStep = Math.abs(by) <= state.height && element.scrollTop > 1 && element.scrollTop < mostScrolled() - 1;
      state.top = clamp(isStep ? state.top + by : (element.scrollTop / Math.max(1, mostScrolled())) * most(), 0, most());
      clearTimeout(state.timer);
      state.timer = window.setTimeout(synchronize, SETTLED);
    }
    redraw();
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      state.height = Math.max(0, element.clientHeight - head);
      state.width = element.clientWidth;
      state.top = clamp(state.top, 0, most());
      redraw();
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => {
      observer.disconnect();
      clearTimeout(state.timer);
    };
  }, [natural, drawn, head]);
  const reveal: View["reveal"] = (top, height, columns, fixed) => {
    const element = box.current;
    if (element === null) return;
    const [from, to] = columns;
    if (from - fixed < element.scrollLeft) element.scrollLeft = from - fixed;
    else if (to > element.scrollLeft + state.width) element.scrollLeft = to - state.width;
    state.left = element.scrollLeft;
    if (top !== null && top < state.top) place(top);
    else if (top !== null && top + height > state.top + state.height) place(top + height - state.height);
  };
  return { ...state, scrolled, reveal };
}
