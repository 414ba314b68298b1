/** A question that depends on the page's state and is asked again when it changes; the newest answer wins. */

import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { isAbort, post, Stale, type Route, type Routes } from "./api";
import { epoch, lostContact, typed } from "./state";

/** Milliseconds to wait while the user types: longer than the time between two keys, too short to notice. */
export const TYPING_PAUSE = 120;
const RETRY = 400;

export class Answer<R extends Route> {
  readonly value = signal<Routes[R][1] | null>(null);
  /** the question that `value` answers, with the epoch in which it was asked */
  readonly answered = signal<Routes[R][0] | null>(null);
  readonly busy = signal(false);
  readonly failure = signal<string | null>(null);
  private key: string | null = null;
  private text: string | undefined;
  private timer = 0;
  private running: AbortController | null = null;

  /**
   * `question` reads signals; null means that the answer is not shown now. A `patient` answer is withdrawn when its question is null,
   * so that nothing waits for it.
   */
  constructor(
    private readonly route: R,
    question: () => Routes[R][0] | null,
    private readonly pause = TYPING_PAUSE,
    private readonly patient = false,
  ) {
    effect(() => {
      const asked = question();
      const key = asked === null ? null : `${epoch.value} ${JSON.stringify(asked)}`;
      untracked(() => this.follow(asked, key));
    });
  }

  private follow(asked: Routes[R][0] | null, key: string | null): void {
    if (asked === null && this.patient && this.busy.peek()) return this.withdraw();
    if (asked === null || key === this.key) return;
    const pause = this.key === null || text(asked) === this.text || !typed.peek() ? 0 : this.pause;
    this.key = key;
    this.text = text(asked);
    this.running?.abort();
    this.busy.value = true;
    this.later(asked, pause);
  }

  private withdraw(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
    this.key = null;
    this.busy.value = false;
  }

  private later(asked: Routes[R][0], pause: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(asked), pause);
  }

  private async ask(asked: Routes[R][0]): Promise<void> {
    const about = { ...asked, epoch: epoch.peek() };
    const mine = (this.running = new AbortController());
    try {
      const answer = await post(this.route, asked, mine.signal);
      if (this.running !== mine) return;
      this.finish(about, answer, null);
    } catch (error) {
      if (this.running !== mine || isAbort(error)) return;
      if (error instanceof Stale) return this.later(asked, RETRY * (1 + Math.random()));
      lostContact(error);
      this.key = null;
      this.finish(about, null, error instanceof Error ? error.message : String(error));
    }
  }

  private finish(asked: Routes[R][0], answer: Routes[R][1] | null, failure: string | null): void {
    if (answer !== null) {
      this.value.value = answer;
      this.answered.value = asked;
    }
    this.failure.value = failure;
    this.busy.value = false;
  }
}

/** Pause only while the text changes, not for a new parameter value. */
const text = (asked: object): string | undefined => ("text" in asked && typeof asked.text === "string" ? asked.text : undefined);

/** Busy without flicker: shown only after a delay, and then long enough to be read. */
export function steady(busy: ReadonlySignal<boolean>, after = 250, atLeast = 400): ReadonlySignal<boolean> {
  const shown = signal(false);
  let timer = 0;
  let since = 0;
  effect(() => {
    const now = busy.value;
    clearTimeout(timer);
    if (now === shown.peek()) return;
    const wait = now ? after : Math.max(0, since + atLeast - performance.now());
    timer = window.setTimeout(() => {
      shown.value = now;
      since = performance.now();
    }, wait);
  });
  return shown;
}
