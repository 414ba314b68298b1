/** The search for a policy: its goal, the answers as they are found, and the one that is picked as differences from the text. */

import { batch, computed, signal } from "@preact/signals";
import { Answer } from "../answer";
import { post, type Alternative, type Found, type SearchAsk, type Searching } from "../api";
import { Call } from "../calls";
import { setText } from "../editor/holder";
import { dropIncomplete } from "../files";
import { announce } from "../live";
import { Alternatives, FrontChart, isAnswer, keyOf, StylesKey, titleOf } from "../parts/alternatives";
import { Asked } from "../parts/asked";
import { Explained } from "../parts/explained";
import { MergeDiff } from "../parts/later";
import { HierarchyLink, PlaceLink } from "../parts/place_link";
import { go, shows } from "../place";
import { Stepper } from "../parts/stepper";
import { changeLevels } from "../settings";
import { hasSearch, lostContact, opened, parameterValues, roles, settings, text } from "../state";
import { count, countNoun, fraction, someNames } from "../words";

const wanted = { k: signal(""), l: signal(""), t: signal(""), lost: signal(""), lines: signal("") };
const IMPORTANCE = { normal: "normal", high: "keep longest", low: "give up first" } as const;
/** by column, if it is not normal */
const importance = signal<Record<string, string>>({});
const MOST_LOST = "5%";

const USES = { instead: "instead of the policy", before: "before the policy", after: "after the policy" } as const;
type Use = keyof typeof USES;
const use = signal<Use>("after");
/** the text that a search wrote, until it is changed */
const accepted = signal<string | null>(null);

const search = new Call("search");
const progress = signal<Searching | null>(null);
const picked = signal<Alternative | null>(null);
/** the picked answer with the policy, without the differences that were dismissed */
const candidate = signal<string | null>(null);

const WHOLE = /^\d*$/;
const whole = (value: string): number | undefined => (value.trim() !== "" && WHOLE.test(value.trim()) ? Number(value) : undefined);
/** the shown fields that are neither empty nor a whole number */
const wrong = computed(() =>
  (["k", "l", "lines"] as const).filter((name) => !WHOLE.test(wanted[name].value.trim()) && (name !== "l" || roles.value.sensitive.length > 0)),
);
/** A number may be typed with a decimal comma. */
const decimal = (value: string): string => value.trim().replace(",", ".");

const defaultK = (): number => whole(parameterValues.value.k ?? "") ?? 5;

/** What the search is asked for, without the policy in the editor. Empty fields are left out. */
const goal = computed<Omit<SearchAsk, "text">>(() => {
  const { quasi_identifiers, sensitive } = roles.value;
  const l = sensitive.length > 0 ? whole(wanted.l.value) : undefined;
  const t = sensitive.length > 0 ? decimal(wanted.t.value) : "";
  const lines = whole(wanted.lines.value);
  const own = settings.value?.hierarchies ?? {};
  const weighed = Object.entries(importance.value).filter(([column]) => quasi_identifiers.includes(column));
  return {
    roles: roles.value,
    k: whole(wanted.k.value) ?? defaultK(),
    ...(l === undefined ? {} : { l }),
    ...(t === "" ? {} : { t }),
    ...(lines === undefined ? {} : { lines }),
    max_lost: decimal(wanted.lost.value) || MOST_LOST,
    importance: Object.fromEntries(weighed),
    hierarchies: Object.fromEntries(quasi_identifiers.flatMap((column) => (own[column] === undefined ? [] : [[column, own[column]]]))),
  };
});

/** what the answers depend on, besides the records */
const question = computed(() => ({ goal: goal.value, reading: settings.value?.reading }));
/** the question of the answers that are shown, and its project */
const asked = signal<{ question: string; project: string | null } | null>(null);

const incomplete = new Answer("search/incomplete", () =>
  opened.value !== null && shows("rule", "search") && roles.value.quasi_identifiers.length > 0 && hasSearch.value
    ? { roles: roles.value, needs_sensitive: goal.value.l !== undefined || goal.value.t !== undefined }
    : null,
);

/** A policy that is empty or was written by a search is replaced, any other is kept. */
const usual = (): Use => (text.peek().trim() === "" || text.peek() === accepted.peek() ? "instead" : "after");

async function start(as: Use = usual()): Promise<void> {
  if (wrong.peek().length > 0) return;
  batch(() => {
    asked.value = { question: JSON.stringify(question.peek()), project: opened.peek()?.project ?? null };
    use.value = as;
    picked.value = null;
    candidate.value = null;
    progress.value = null;
  });
  const watching = window.setInterval(() => void watch(), 400);
  const answer = await search.start({ ...goal.peek(), text: text.peek() });
  clearInterval(watching);
  const [best] = answer?.search?.alternatives.filter(isAnswer) ?? [];
  if (best === undefined) return;
  pick(best);
  announce(`${countNoun(answer?.search?.alternatives.filter(isAnswer).length ?? 0, "answer")} found. Least loss: ${answerText(best)}`);
}

async function watch(): Promise<void> {
  const found = (await post("progress", {}).catch(() => ({ search: null }))).search;
  if (search.busy.peek() && found !== null) progress.value = found;
}

/** Search as a rule asks, whose columns have their roles already. Before the rule's policy, there is something left to generalize. */
export function searchFor(k: string): void {
  wanted.k.value = k;
  go("rule", "search");
  void start("before");
}

const stop = () => void post("stop", { topic: "search" }).catch(lostContact);

const answerText = (answer: Alternative): string =>
  `${titleOf(answer)}, loss ${fraction(answer.loss)}, ${countNoun(answer.dropped, "record")} lost`;

function pick(answer: Alternative): void {
  picked.value = answer;
  candidate.value = combine(answer);
}

function combine({ text: alone = "", addition = "" }: Alternative): string {
  const mine = text.peek().trimEnd();
  if (mine === "") return alone;
  return { instead: alone, before: `${addition.trimEnd()}\n\n${mine}\n`, after: `${mine}\n\n${addition}` }[use.peek()];
}

export function SearchPanel() {
  return hasSearch.value ? <Search /> : <NotInstalled />;
}

function NotInstalled() {
  return (
    <section aria-labelledby="search-title">
      <h2 id="search-title">Search for a policy</h2>
      <p class="about">
        The search needs numpy, which is not installed. Install <code>acompass[suggest]</code> and start the studio again.
      </p>
    </section>
  );
}

function Search() {
  return (
    <>
      <section aria-labelledby="search-title">
        <h2 id="search-title">Search for a policy</h2>
        <p class="about">
          Or start from a published rule in <PlaceLink step="rule" panel="rules" />.
        </p>
        {roles.value.quasi_identifiers.length === 0 ? (
          <p class="about">
            The search needs quasi-identifiers: columns that identify a person in combination. Mark them in <PlaceLink step="columns" />.
          </p>
        ) : (
          <Question />
        )}
        {search.busy.value && <Running />}
      </section>
      <Results />
    </>
  );
}

function Question() {
  const submit = (event: Event) => {
    event.preventDefault();
    void start();
  };
  const { quasi_identifiers, sensitive, person } = roles.value;
  const members = person === null ? "records" : `different values of ${person}`;
  return (
    <form onSubmit={submit}>
      <dl class="goal">
        <dt>
          <Field label="k" of={wanted.k} hint={String(defaultK())} least={2} />
        </dt>
        <dd>
          Each combination of {someNames(quasi_identifiers)} that is released has at least <Explained word="k" /> {members}.
        </dd>
        {sensitive.length > 0 && (
          <>
            <dt>
              <Field label="l" of={wanted.l} hint="any" least={2} />
            </dt>
            <dd>Each of them has at least <Explained word="l" /> different values of {sensitive.length > 1 ? `each of ${someNames(sensitive)}` : sensitive[0]}.</dd>
            <dt>
              <TextField label="t" name="Search for t" of={wanted.t} hint="any" />
            </dt>
            <dd>
              The values of {someNames(sensitive)} among them are distributed as in the whole release, up to a distance of <Explained word="t" /> (0 to 1). This is
              measured on this table, not proved for others.
            </dd>
          </>
        )}
        <dt>
          <TextField label="lost" name="Largest share of lost records" of={wanted.lost} hint={MOST_LOST} />
        </dt>
        <dd>Answers may lose at most this share of the records. The search also looks for answers that lose at most 1% and none.</dd>
      </dl>
      <Incomplete />
      <fieldset class="importance">
        <legend>Importance of the columns</legend>
        {quasi_identifiers.map((column) => (
          <ImportanceChoice column={column} />
        ))}
      </fieldset>
      <Levels />
      <details>
        <summary>Advanced</summary>
        <p class="row">
          <Field label="lines" of={wanted.lines} hint="30" least={1} />
          <span>The largest number of lines. A shorter policy is easier to read, and usually loses more.</span>
        </p>
      </details>
      {wrong.value.length > 0 && (
        <p class="stale" role="status">
          △ {wrong.value.join(" and ")}: a whole number is needed, such as {defaultK()}.
        </p>
      )}
      <button type="submit" class={search.value.value?.search ? "" : "primary"} disabled={search.busy.value || wrong.value.length > 0}>
        Search
      </button>
    </form>
  );
}

/** The levels that the search chooses among, by column. */
function Levels() {
  const { hierarchies } = goal.value;
  return (
    <fieldset class="importance">
      <legend>Levels of the columns</legend>
      <ul class="plain">
        {roles.value.quasi_identifiers.map((column) => (
          <ColumnLevels column={column} levels={hierarchies[column] ?? null} />
        ))}
      </ul>
    </fieldset>
  );
}

function ColumnLevels({ column, levels }: { column: string; levels: string | null }) {
  return (
    <li>
      {column}: {levels === null ? "derived from its values" : `${levelsInWords(levels)}, chosen in this project`}{" "}
      <HierarchyLink column={column}>Edit the hierarchy of {column}</HierarchyLink>{" "}
      {levels !== null && (
        <button type="button" class="small quiet" onClick={() => void changeLevels(column, null)}>
          Derive them from the values
        </button>
      )}
    </li>
  );
}

function levelsInWords(levels: string): string {
  const [kind, sizes = ""] = levels.split(":");
  const listed = sizes.split(",").join(", ");
  if (kind === "bands") return `bands of ${listed}`;
  if (kind === "prefix") return `prefixes of ${listed}`;
  return levels === "dates" ? "months, quarters, years and decades" : `the levels of ${levels}`;
}

function Field({ label, of, hint, least }: { label: string; of: { value: string }; hint: string; least: number }) {
  return (
    <Stepper label={label} name={`Search for ${label}`} value={of.value} hint={hint} least={least} set={(value) => void (of.value = value)} />
  );
}

function TextField({ label, name, of, hint }: { label: string; name: string; of: { value: string }; hint: string }) {
  return (
    <label class="stepper">
      <span class="label" aria-hidden="true">{label}</span>
      <input aria-label={name} inputMode="decimal" autocomplete="off" size={5} value={of.value} placeholder={hint} onInput={(event) => void (of.value = event.currentTarget.value)} />
    </label>
  );
}

function ImportanceChoice({ column }: { column: string }) {
  const set = (level: string) => {
    const { [column]: _, ...others } = importance.peek();
    importance.value = level === "normal" ? others : { ...others, [column]: level };
  };
  return (
    <label>
      {column}{" "}
      <select value={importance.value[column] ?? "normal"} onChange={(event) => set(event.currentTarget.value)}>
        {Object.entries(IMPORTANCE).map(([level, words]) => (
          <option value={level}>{words}</option>
        ))}
      </select>
    </label>
  );
}

/** The records that missing values will drop, before the search starts. */
function Incomplete() {
  const found = incomplete.value.value;
  const records = opened.value?.table.records ?? 0;
  if (found === null || found.incomplete === null || found.incomplete === 0) return null;
  const part = `${count(found.incomplete)} of ${countNoun(records, "record")}`;
  if (found.are_dropped) return <p class="stale">△ {part} have a missing value in these columns. Every answer leaves them out.</p>;
  return (
    <p class="stale">
      △ {part} have a missing value in these columns. Choose in <PlaceLink step="open" /> how to read them, or{" "}
      <button type="button" class="small" onClick={() => void dropIncomplete()}>
        Leave these records out
      </button>
    </p>
  );
}

function Running() {
  const now = progress.value;
  const running = now?.running ?? null;
  const what = running === null ? "Reading the table" : `Searching: ${titleOf(running)}`;
  return (
    <div class="row">
      <progress aria-label="Progress of the search" value={now?.part ?? 0} max={1} />
      <span role="status">{what}</span>
      {now?.loss != null && <span>loss {fraction(now.loss)} so far</span>}
      <button type="button" class="small" onClick={stop}>
        Use the best so far
      </button>
    </div>
  );
}

function Results() {
  const answer = search.value.value;
  if (search.busy.value) return <SoFar found={progress.value} />;
  if (answer === null && search.failure.value === null) return null;
  if (asked.value?.project !== opened.value?.project) return null;
  return (
    <section aria-labelledby="answers-title">
      <h2 id="answers-title">Answers</h2>
      <Asked diagnostics={answer?.diagnostics} failure={search.failure.value} waiting={false}>
        {answer?.search && <Compared found={answer.search} />}
      </Asked>
    </section>
  );
}

function SoFar({ found }: { found: Searching | null }) {
  if (found === null || found.alternatives.length === 0) return null;
  return (
    <section aria-labelledby="answers-title">
      <h2 id="answers-title">Answers so far</h2>
      <Alternatives found={found.alternatives} picked={null} />
      <StylesKey />
    </section>
  );
}

function Compared({ found }: { found: Found }) {
  const chosen = picked.value === null ? null : keyOf(picked.value);
  const isOld = asked.value?.question !== JSON.stringify(question.value);
  return (
    <>
      {isOld && <p class="stale">△ The fields, the roles or how the table is read have changed since this search.</p>}
      <div class={isOld ? "answer old" : "answer"}>
        {found.incomplete !== null && found.incomplete > 0 && (
          <p class="about">
            Every answer leaves out {countNoun(found.incomplete, "record")} of {count(found.records_in ?? 0)} with missing values, in addition to the lost ones.
          </p>
        )}
        {!found.finished && <p class="stale">△ The search ended early; a longer one may find better answers.</p>}
        {found.notes.map((note) => (
          <p class="about">{note}</p>
        ))}
        <Alternatives found={found.alternatives} picked={chosen} pick={pick} />
        <StylesKey />
        {picked.value !== null && <Pick answer={picked.value} />}
        <FrontChart found={found} picked={chosen} />
        <p class="about">
          <Explained word="loss">Loss</Explained> is the share of detail that the quasi-identifiers lose, as ARX measures it: 0 for an unchanged table, 1 for one without detail;
          importance does not change it. <Explained word="prosecutor risk">Highest risk</Explained> is that of {found.person === null ? "a record" : "a person"} in the smallest class, for
          someone who knows that it is in the table. <em>Least loss</em> compares only these answers.
        </p>
        {picked.value !== null && <Preview answer={picked.value} />}
      </div>
    </>
  );
}

function Pick({ answer }: { answer: Alternative }) {
  return (
    <p class="row">
      <button type="button" class="primary" onClick={() => accept(candidate.value ?? combine(answer))}>
        Use this policy
      </button>
      <strong>{titleOf(answer)}</strong>
      {text.value.trim() !== "" && <UseChoice answer={answer} />}
    </p>
  );
}

function Preview({ answer }: { answer: Alternative }) {
  const other = candidate.value;
  return (
    <>
      <h3>Changes by {titleOf(answer)}</h3>
      {other === null || other === text.value ? (
        <p class="about">The editor contains this policy.</p>
      ) : (
        <MergeDiff label="The answer compared with the policy" mine={text.value} other={other} accept={acceptPart} dismiss={(rest) => void (candidate.value = rest)} />
      )}
    </>
  );
}

function UseChoice({ answer }: { answer: Alternative }) {
  const choose = (event: Event & { currentTarget: HTMLSelectElement }) => {
    use.value = event.currentTarget.value as Use;
    pick(answer);
  };
  return (
    <label>
      Use it{" "}
      <select value={use.value} onChange={choose}>
        {Object.entries(USES).map(([value, words]) => (
          <option value={value}>{words}</option>
        ))}
      </select>
    </label>
  );
}

function accept(all: string): void {
  setText(all);
  // another search may replace it, unless it is only a part of the policy
  accepted.value = use.peek() === "instead" ? all : null;
  announce("The editor contains the policy that was found");
  go("refine");
}

function acceptPart(next: string): void {
  setText(next);
  announce("Accepted");
}
