/** A question that follows the page's state: asked again when it changes, the newest answer wins. */

import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { isAbort, post, Stale, type Route, type Routes } from "./api";
import { epoch, lostContact } from "./state";

/** Long enough to not ask between two letters of a word, short enough to not be felt. */
export const TYPING_PAUSE = 120;
const RETRY = 400;

export class Answer<R extends Route> {
  readonly value = signal<Routes[R][1] | null>(null);
  /** the question that `value` answers */
  readonly answered = signal<Routes[R][0] | null>(null);
  readonly busy = signal(false);
  readonly failure = signal<string | null>(null);
  private key: string | null = null;
  private timer = 0;
  private running: AbortController | null = null;

  /** `question` reads signals; null means that nobody looks at the answer now. */
  constructor(
    private readonly route: R,
    question: () => Routes[R][0] | null,
    private readonly pause = TYPING_PAUSE,
  ) {
    effect(() => {
      const asked = question();
      const key = asked === null ? null : `${epoch.value} ${JSON.stringify(asked)}`;
      untracked(() => this.follow(asked, key));
    });
  }

  private follow(asked: Routes[R][0] | null, key: string | null): void {
    if (asked === null || key === this.key) return;
    const pause = this.key === null ? 0 : this.pause;
    this.key = key;
    this.running?.abort();
    this.busy.value = true;
    this.later(asked, pause);
  }

  private later(asked: Routes[R][0], pause: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(asked), pause);
  }

  private async ask(asked: Routes[R][0]): Promise<void> {
    const mine = (this.running = new AbortController());
    try {
      const answer = await post(this.route, asked, mine.signal);
      if (this.running !== mine) return;
      this.finish(asked, answer, null);
    } catch (error) {
      if (this.running !== mine || isAbort(error)) return;
      if (error instanceof Stale) return this.later(asked, RETRY * (1 + Math.random()));
      lostContact(error);
      this.key = null;
      this.finish(asked, null, error instanceof Error ? error.message : String(error));
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

/** Busy without flicker: shown only after a while, and then long enough to be read. */
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
