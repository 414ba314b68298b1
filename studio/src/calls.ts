/** A request that a button starts: its progress, its answer and its failure, for the panel to show. */

import { signal } from "@preact/signals";
import { isAbort, post, Stale, type Route, type Routes } from "./api";
import { lostContact } from "./state";

export class Call<R extends Route> {
  readonly value = signal<Routes[R][1] | null>(null);
  /** the question that `value` answers */
  readonly answered = signal<Routes[R][0] | null>(null);
  readonly busy = signal(false);
  readonly failure = signal<string | null>(null);
  private running: AbortController | null = null;

  constructor(private readonly route: R) {}

  /** The answer; null if it failed or a newer call replaced it. */
  async start(body: Routes[R][0]): Promise<Routes[R][1] | null> {
    this.running?.abort();
    const mine = (this.running = new AbortController());
    this.busy.value = true;
    this.failure.value = null;
    try {
      const answer = await post(this.route, body, mine.signal);
      if (this.running !== mine) return null;
      this.value.value = answer;
      this.answered.value = body;
      return answer;
    } catch (error) {
      if (this.running === mine) this.fail(error);
      return null;
    } finally {
      if (this.running === mine) this.busy.value = false;
    }
  }

  private fail(error: unknown): void {
    lostContact(error);
    if (isAbort(error) || error instanceof Stale) return;
    this.failure.value = error instanceof Error ? error.message : String(error);
  }
}
