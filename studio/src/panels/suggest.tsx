/** A policy found by a search, as differences from the text that can be accepted one by one. */

import { signal } from "@preact/signals";
import { post, type Suggestion } from "../api";
import { Call } from "../calls";
import { setText } from "../editor/holder";
import { announce } from "../live";
import { Asked } from "../parts/asked";
import { MergeDiff } from "../parts/later";
import { PanelLink } from "../parts/panel_link";
import { Stepper } from "../parts/stepper";
import { DataTable, Num } from "../parts/table";
import { lostContact, panel, parameterValues, roles, text } from "../state";
import { count, countNoun, fraction } from "../words";

const wanted = { k: signal(""), l: signal(""), lines: signal("") };
const STYLES = ["cascade", "uniform", "stars"] as const;
const style = signal<string>(STYLES[0]);
const USES = { after: "after the policy", before: "before the policy", instead: "instead of the policy" } as const;
const use = signal<keyof typeof USES>("after");
const search = new Call("suggest");
/** the candidate without the dismissed lines */
const candidate = signal<string | null>(null);
const progress = signal<{ part: number; loss: number } | null>(null);

const whole = (value: string): number | undefined => {
  const number = Number.parseInt(value, 10);
  return Number.isNaN(number) ? undefined : number;
};

async function start(lines = whole(wanted.lines.peek())): Promise<void> {
  const l = whole(wanted.l.peek());
  const watching = window.setInterval(() => void watch(), 500);
  const answer = await search.start({
    roles: roles.peek(),
    ...(use.peek() !== "instead" ? { text: text.peek() } : {}),
    k: whole(wanted.k.peek()) ?? defaultK(),
    style: style.peek(),
    ...(l === undefined ? {} : { l }),
    ...(lines === undefined ? {} : { lines }),
  });
  clearInterval(watching);
  progress.value = null;
  if (answer?.suggestion) {
    propose(answer.suggestion);
    announce(`A policy was found: ${suggestionText(answer.suggestion)}`);
  }
}

const defaultK = (): number => whole(parameterValues.peek().k ?? "") ?? 5;
const suggestionText = ({ loss, dropped }: Suggestion): string => `loss ${fraction(loss)}, ${countNoun(dropped, "record")} dropped`;

function propose(found: Suggestion): void {
  const mine = text.peek().trimEnd();
  const parts = { after: [mine, found.text], before: [found.text.trimEnd(), `${mine}\n`], instead: [found.text] }[use.peek()];
  candidate.value = mine === "" ? found.text : parts.join("\n\n");
}

async function watch(): Promise<void> {
  progress.value = (await post("progress", {}).catch(() => ({ suggest: null }))).suggest;
}

/** Search as a rule asks, whose columns have their roles already. Before the rule's policy, there is something left to generalize. */
export function searchFor(k: string): void {
  wanted.k.value = k;
  use.value = "before";
  panel.value = "Release";
  void start();
}

const stop = () => void post("stop", { topic: "suggest" }).catch(lostContact);

export function Suggest() {
  const answer = search.value.value;
  return (
    <section aria-labelledby="suggest-title">
      <h2 id="suggest-title">1. Suggest a policy</h2>
      <p class="about">
        Or start from a published rule in <PanelLink to="Rules" />.
      </p>
      {roles.value.quasi_identifiers.length === 0 ? (
        <p class="about">
          The search needs quasi-identifiers. Mark them in <PanelLink to="Table" />.
        </p>
      ) : (
        <Question />
      )}
      {search.busy.value && <Searching />}
      {(answer !== null || search.failure.value !== null) && (
        <Asked diagnostics={answer?.diagnostics} failure={search.failure.value} waiting={false}>
          {answer?.suggestion && <Found found={answer.suggestion} />}
        </Asked>
      )}
    </section>
  );
}

function Question() {
  const submit = (event: Event) => {
    event.preventDefault();
    void start();
  };
  const { quasi_identifiers, sensitive } = roles.value;
  return (
    <form onSubmit={submit}>
      <p class="about">
        Finds a policy with little loss such that every class by {quasi_identifiers.join(", ")} is large enough
        {sensitive.length > 0 && ` and has enough values of ${sensitive.join(", ")}`}.
      </p>
      <div class="row">
        <Field label="k" of={wanted.k} hint={String(defaultK())} least={2} />
        {sensitive.length > 0 && <Field label="l" of={wanted.l} hint="any" least={1} />}
        <Field label="lines" of={wanted.lines} hint="any" least={1} />
        <label>
          style{" "}
          <select value={style.value} onChange={(event) => void (style.value = event.currentTarget.value)}>
            {STYLES.map((each) => (
              <option value={each}>{each}</option>
            ))}
          </select>
        </label>
        <button type="submit" disabled={search.busy.value}>
          Search
        </button>
      </div>
    </form>
  );
}

function Field({ label, of, hint, least }: { label: string; of: { value: string }; hint: string; least: number }) {
  return (
    <Stepper label={label} name={`Search for ${label}`} value={of.value} hint={hint} least={least} set={(value) => void (of.value = value)} />
  );
}

function Searching() {
  const now = progress.value;
  return (
    <p class="row" role="status">
      <span>Searching{now === null ? "…" : `: loss ${fraction(now.loss)} so far`}</span>
      <button type="button" class="small" onClick={stop}>
        Use the best so far
      </button>
    </p>
  );
}

function Found({ found }: { found: Suggestion }) {
  const other = candidate.value;
  if (other === null) return <p class="about">The suggestion was accepted or dismissed.</p>;
  return (
    <>
      <p>
        <strong>Found</strong> in {fraction(found.seconds)} s: {suggestionText(found)}. The search uses the original table, without the policy. Accept the lines you want.
      </p>
      <Curve found={found} />
      <p class="row">
        <label>
          Use it{" "}
          <select
            value={use.value}
            onChange={(event) => {
              use.value = event.currentTarget.value as keyof typeof USES;
              propose(found);
            }}
          >
            {Object.entries(USES).map(([value, words]) => (
              <option value={value}>{words}</option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => acceptAll(other)}>
          Accept all
        </button>
        <button type="button" class="quiet" onClick={() => void (candidate.value = null)}>
          Dismiss all
        </button>
      </p>
      <MergeDiff label="The suggestion compared with the policy" mine={text.value} other={other} accept={accept} dismiss={dismiss} />
    </>
  );
}

function accept(next: string): void {
  setText(next);
  announce("Accepted");
  if (next === candidate.peek()) candidate.value = null;
}

function dismiss(rest: string): void {
  candidate.value = rest === text.peek() ? null : rest;
}

function acceptAll(all: string): void {
  setText(all);
  candidate.value = null;
  announce("The editor now contains the suggested policy");
}

/** One candidate for each number of lines: fewer lines are easier to read and lose more. */
function Curve({ found }: { found: Suggestion }) {
  if (found.curve.length < 2) return null;
  return (
    <details>
      <summary>Shorter policies</summary>
      <DataTable
        quiet
        caption="Policies by number of lines"
        head={[{ title: "Lines", number: true }, { title: "Loss", number: true }, { title: "Dropped", number: true }, ""]}
      >
        {found.curve.map((point) => (
          <tr>
            <Num>{point.lines}</Num>
            <Num>{fraction(point.loss)}</Num>
            <Num>{count(point.dropped)}</Num>
            <td>
              <button type="button" class="small quiet" aria-label={`Show the policy with ${point.lines} lines`} onClick={() => void start(point.lines)}>
                Show
              </button>
            </td>
          </tr>
        ))}
      </DataTable>
    </details>
  );
}
