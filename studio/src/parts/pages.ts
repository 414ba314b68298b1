/** The pages of a table that is fetched in parts: one request at a time, for what is visible when it starts. */

import { isAbort, Stale } from "../api";
import { lostContact } from "../state";

/** `text` is null for a missing value; `mark` is a CSS class */
export type MarkedCell = { text: string | null; mark?: string; title?: string };
export type Cell = string | null | MarkedCell;
export type FetchPage = (first: number, count: number, signal: AbortSignal) => Promise<Cell[][]>;

const SIZE = 100;
const MOST_KEPT = 50;
const RETRY = 300;

export class Pages {
  /** the first page, once it is known */
  first: Cell[][] | null = null;
  busy = false;
  failure: string | null = null;
  private readonly kept = new Map<number, Cell[][]>();
  private wanted: number[] = [];
  private running: AbortController | null = null;
  private timer = 0;

  constructor(
    readonly source: string,
    private readonly fetch: FetchPage,
    private readonly changed: () => void,
  ) {}

  /** undefined while the page of the cell is on its way */
  cell(row: number, column: number): Cell | undefined {
    return this.kept.get(Math.floor(row / SIZE))?.[row % SIZE]?.[column];
  }

  want(firstRow: number, lastRow: number): void {
    const first = Math.floor(firstRow / SIZE);
    const last = Math.floor(Math.max(firstRow, lastRow - 1) / SIZE);
    this.wanted = lastRow <= firstRow ? [] : Array.from({ length: last - first + 1 }, (_, at) => first + at);
    this.next();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.wanted = [];
    this.running?.abort();
  }

  private next(): void {
    const page = this.wanted.find((each) => !this.kept.has(each));
    if (this.running !== null || page === undefined) return;
    void this.ask(page);
  }

  private async ask(page: number): Promise<void> {
    const mine = (this.running = new AbortController());
    this.busy = true;
    this.failure = null;
    try {
      this.keep(page, await this.fetch(page * SIZE, SIZE, mine.signal));
      this.running = null;
      this.next();
    } catch (error) {
      this.running = null;
      this.fail(error);
    }
    this.busy = this.running !== null;
    if (!mine.signal.aborted) this.changed();
  }

  private keep(page: number, cells: Cell[][]): void {
    if (page === 0) this.first = cells;
    this.kept.set(page, cells);
    const far = [...this.kept.keys()].find((each) => !this.wanted.includes(each));
    if (this.kept.size > MOST_KEPT && far !== undefined) this.kept.delete(far);
  }

  private fail(error: unknown): void {
    if (isAbort(error)) return;
    if (error instanceof Stale) {
      this.timer = window.setTimeout(() => this.next(), RETRY);
      return;
    }
    lostContact(error);
    this.failure = error instanceof Error ? error.message : String(error);
  }
}

export const isMarked = (cell: Cell | undefined): cell is MarkedCell => typeof cell === "object" && cell !== null;
