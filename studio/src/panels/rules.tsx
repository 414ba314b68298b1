/** Published rules: find one, match its columns with the table, write its policy or search with its numbers. Loaded on first use. */

import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Answer } from "../answer";
import { post, Refused, type ClauseCheck, type Diagnostic, type Params, type Rule, type RuleAsk, type RuleColumn, type RuleSummary } from "../api";
import { Call } from "../calls";
import { setText } from "../editor/holder";
import { announce } from "../live";
import { Asked, Problems, Since } from "../parts/asked";
import { PlaceLink } from "../parts/place_link";
import { shows } from "../place";
import { Prose } from "../parts/prose";
import { Stepper } from "../parts/stepper";
import { DataTable } from "../parts/table";
import { markPerson, markRole, sent } from "../roles";
import { ask, hasSearch, lostContact, opened } from "../state";
import { count, countNoun } from "../words";
import { searchFor } from "./search";
import { NotWritten, type NotReleased } from "./write";

const words = signal("");
const name = signal<string | null>(null);
/** what the user has changed for the open rule: columns of the table by column of the rule, and numbers */
const chosen = signal<Record<string, string[]>>({});
const numbers = signal<Params>({});
const written = signal<string[] | null>(null);
const wrong = signal<Diagnostic[]>([]);
const refused = signal<NotReleased | null>(null);
const check = new Call("rule/check");

const list = new Answer("rules", () => (shows("rule", "rules") ? {} : null), 0);
const answer = new Answer("rule", () => (shows("rule", "rules") && name.value !== null ? { name: name.value, sent: sent.value } : null), 0);
/** null while another rule is being loaded */
const rule = computed(() => (answer.answered.value?.name === name.value ? (answer.value.value?.rule ?? null) : null));

const project = computed(() => opened.value?.project);
effect(() => {
  [name.value, project.value];
  chosen.value = {};
  numbers.value = {};
});
effect(() => {
  [chosen.value, numbers.value];
  written.value = refused.value = check.value.value = null;
  wrong.value = [];
});

const columnsOf = (column: RuleColumn): string[] => chosen.value[column.name] ?? column.columns;
/** a column that is only meant where the table lacks another one */
const isUnused = (column: RuleColumn, { columns }: Rule): boolean =>
  columns.some((other) => other.name === column.unless && columnsOf(other).length > 0);
const isOpen = (column: RuleColumn, of: Rule): boolean =>
  !isUnused(column, of) && ((column.candidates !== null && !(column.name in chosen.value)) || (column.required && columnsOf(column).length === 0));

/** A column of the table stands for one column of the rule, so it is taken from any other. */
function choose(column: RuleColumn, columns: string[], { columns: all }: Rule): void {
  const others = all.filter((other) => other !== column && columnsOf(other).some((each) => columns.includes(each)));
  const left = others.map((other) => [other.name, columnsOf(other).filter((each) => !columns.includes(each))]);
  chosen.value = { ...chosen.value, ...Object.fromEntries(left), [column.name]: columns };
}

export function RulesPanel() {
  return name.value === null ? <Gallery /> : <OneRule />;
}

/** the rule that was open last, and whether the focus follows to the rule or back to its button */
let last: string | null = null;
let follows = false;

function open(own: string | null): void {
  last = own ?? last;
  follows = true;
  name.value = own;
}

/** Focus an element that appears because a rule was opened or closed, and not because the panel was. */
function useFollowingFocus(element: { current: HTMLElement | null }, isMeant: boolean): void {
  useEffect(() => {
    if (!follows || !isMeant) return;
    follows = false;
    element.current?.focus();
  }, []);
}

function Gallery() {
  const found = list.value.value?.rules ?? [];
  const asked = words.value.toLowerCase().split(/\s+/);
  const shown = found.filter((each) => {
    const text = [each.name, each.title, each.covers].join(" ").toLowerCase();
    return asked.every((word) => text.includes(word));
  });
  return (
    <section aria-labelledby="rules-title">
      <h2 id="rules-title">Published rules</h2>
      <p class="about">
        Choose a rule to match its columns with those of the table and to write its policy. <Advice />
      </p>
      <div class="row grow">
        <label for="rules-search">Search</label>
        <input id="rules-search" type="search" class="wide" value={words.value} onInput={(event) => void (words.value = event.currentTarget.value)} />
        <span role="status">{list.value.value !== null && countNoun(shown.length, "rule")}</span>
      </div>
      <Asked diagnostics={list.value.value?.diagnostics} failure={list.failure.value} waiting={list.value.value === null}>
        <ul class="cards">
          {shown.map((each) => (
            <Card key={each.name} rule={each} />
          ))}
        </ul>
      </Asked>
    </section>
  );
}

const Advice = () => <>This is not legal advice.</>;

function Card({ rule: { name: own, title, dated, covers } }: { rule: RuleSummary }) {
  const button = useRef<HTMLButtonElement>(null);
  useFollowingFocus(button, last === own);
  return (
    <li>
      <h3>
        <button type="button" class="link" ref={button} onClick={() => open(own)}>
          {title}
        </button>
      </h3>
      <p><Prose text={covers} /></p>
      <small>
        {own}, of {dated}
      </small>
    </li>
  );
}

function OneRule() {
  const found = rule.value;
  return (
    <>
      <p>
        <button type="button" class="small" onClick={() => open(null)}>
          All rules
        </button>
      </p>
      <Asked diagnostics={answer.value.value?.diagnostics} failure={answer.failure.value} waiting={found === null && answer.busy.value}>
        {found !== null && (
          <>
            <About rule={found} />
            {Object.keys(found.parameters).length > 0 && <Numbers rule={found} />}
            <Columns rule={found} />
            <Use rule={found} />
            <Check rule={found} />
          </>
        )}
      </Asked>
    </>
  );
}

function About({ rule: { name: own, title, source, dated, review, covers, leaves_out, clauses } }: { rule: Rule }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useFollowingFocus(heading, true);
  return (
    <section aria-labelledby="rule-title">
      <h2 id="rule-title" tabindex={-1} ref={heading}>
        {title}
      </h2>
      <p class="about">
        <code>{own}</code>, from <Source address={source} /> of {dated}, to be reviewed by {review}
      </p>
      <p><Prose text={covers} /></p>
      <h3>What it leaves out</h3>
      <Lines lines={leaves_out} />
      <h3>What a released table must satisfy</h3>
      <Lines lines={Object.entries(clauses).map(([clause, title]) => `\`${clause}\`: ${title}`)} />
    </section>
  );
}

function Source({ address }: { address: string }) {
  if (!/^https?:/.test(address)) return <>{address}</>;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      its source
    </a>
  );
}

const Lines = ({ lines }: { lines: string[] }) => (
  <ul class="reason">
    {lines.map((line) => (
      <li><Prose text={line} /></li>
    ))}
  </ul>
);

function Numbers({ rule: { parameters } }: { rule: Rule }) {
  return (
    <section aria-labelledby="numbers-title">
      <h2 id="numbers-title">Numbers</h2>
      <ul class="plain">
        {Object.entries(parameters).map(([own, { value, meaning }]) => (
          <li class="row">
            <Stepper
              label={own}
              name={`Number ${own}`}
              value={numbers.value[own] ?? String(value)}
              hint={String(value)}
              set={(typed) => void (numbers.value = { ...numbers.value, [own]: typed })}
            />
            {isChanged(own, value) && <span class="mark open">△ the rule says {value}</span>}
            <span><Prose text={meaning} /></span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An empty field means the rule's number. */
const isChanged = (own: string, value: number | string): boolean => ((numbers.value[own] ?? "").trim() || String(value)) !== String(value);

function Columns({ rule: found }: { rule: Rule }) {
  const named = new Set(found.columns.filter((column) => !isUnused(column, found)).flatMap(columnsOf));
  const absent = found.columns.filter((column) => !isMatched(column));
  const others = (opened.value?.table.columns ?? []).filter((column) => !named.has(column));
  return (
    <section aria-labelledby="rule-columns-title">
      <h2 id="rule-columns-title">Columns</h2>
      <Matched rule={found} columns={found.columns.filter(isMatched)} caption="Columns of the rule in this table" />
      {absent.length > 0 && (
        <details>
          <summary>{countNoun(absent.length, "other column")} of the rule</summary>
          <Matched rule={found} columns={absent} caption="Columns of the rule that were not found" />
        </details>
      )}
      {others.length > 0 && (
        <p class="about">
          The studio did not recognize these as columns of the rule: <strong>{others.join(", ")}</strong>. Its policy releases them unchanged.
        </p>
      )}
    </section>
  );
}

/** Found, or in doubt, before the user chooses, so that no row moves. */
const isMatched = (column: RuleColumn): boolean => column.columns.length > 0 || column.candidates !== null || column.required;

function Matched({ rule: found, columns, caption }: { rule: Rule; columns: RuleColumn[]; caption: string }) {
  return (
    <DataTable quiet caption={caption} head={["The rule's column", "In this table", "Found"]}>
      {columns.map((column) => (
        <tr key={column.name}>
          <th scope="row">
            {column.name} <br />
            <small><Prose text={column.meaning} /></small>
          </th>
          <td>{isUnused(column, found) ? "not used" : column.many ? <Several column={column} rule={found} /> : <One column={column} rule={found} />}</td>
          <td><Found column={column} rule={found} /></td>
        </tr>
      ))}
    </DataTable>
  );
}

const REASONS = { given: "chosen", role: "by its role", name: "by its name", values: "by its values" };

function Found({ column, rule: found }: { column: RuleColumn; rule: Rule }) {
  if (isUnused(column, found)) return <>the table has {column.unless}</>;
  if (isOpen(column, found)) return <span class="mark open">△ choose</span>;
  if (columnsOf(column).length === 0) return <>{column.role === "person" ? "each record counts as a person" : "–"}</>;
  return <>{REASONS[column.name in chosen.value ? "given" : (column.reason ?? "given")]}</>;
}

const NONE = "none";
const ALL = "all";

/** The table's columns, those first that may be meant. */
function Options({ column, without }: { column: RuleColumn; without: string[] }) {
  const all = opened.value?.table.columns ?? [];
  const likely = column.candidates ?? [];
  const option = (each: string) => !without.includes(each) && <option value={all.indexOf(each)}>{each}</option>;
  return (
    <>
      {likely.length > 0 && <optgroup label="Possible">{likely.map(option)}</optgroup>}
      {likely.length > 0 ? (
        <optgroup label="Other columns">{all.filter((each) => !likely.includes(each)).map(option)}</optgroup>
      ) : (
        all.map(option)
      )}
    </>
  );
}

const named = (value: string): string[] => (value === NONE ? [] : [opened.value?.table.columns[Number(value)] ?? ""]);

function One({ column, rule: found }: { column: RuleColumn; rule: Rule }) {
  const [own] = columnsOf(column);
  const isAsked = own === undefined && isOpen(column, found);
  return (
    <select
      aria-label={`Column for ${column.name}`}
      value={own !== undefined ? opened.value?.table.columns.indexOf(own) : isAsked ? "" : NONE}
      onChange={(event) => choose(column, named(event.currentTarget.value), found)}
    >
      {isAsked && <option value="">Choose…</option>}
      {!column.required && <option value={NONE}>not in this table</option>}
      <Options column={column} without={[]} />
    </select>
  );
}

function Several({ column, rule: found }: { column: RuleColumn; rule: Rule }) {
  const own = columnsOf(column);
  const isAsked = isOpen(column, found);
  const taken = found.columns.filter((other) => other.name in chosen.value).flatMap(columnsOf);
  const more = (column.candidates ?? []).filter((each) => !own.includes(each) && !taken.includes(each));
  const no = own.length === 0 ? "not in this table" : "no other column";
  const add = (select: HTMLSelectElement) => {
    choose(column, [...own, ...(select.value === ALL ? more : named(select.value))], found);
    select.value = "";
  };
  const remove = (button: HTMLElement, gone: string) => {
    button.parentElement?.querySelector("select")?.focus();
    choose(column, own.filter((each) => each !== gone), found);
  };
  return (
    <span class="row">
      {own.map((each) => (
        <button type="button" class="small" aria-label={`Remove ${each} from ${column.name}`} onClick={(event) => remove(event.currentTarget, each)}>
          {each} ✕
        </button>
      ))}
      <select aria-label={`Add a column for ${column.name}`} value="" onChange={(event) => add(event.currentTarget)}>
        <option value="">{isAsked ? "Choose…" : own.length === 0 ? no : "Add…"}</option>
        {isAsked && !column.required && <option value={NONE}>{no}</option>}
        {more.length > 1 && <option value={ALL}>all {more.length} possible columns</option>}
        <Options column={column} without={own} />
      </select>
    </span>
  );
}

const asked = (found: Rule): RuleAsk => ({
  name: found.name,
  columns: Object.fromEntries(found.columns.map((column) => [column.name, columnsOf(column)])),
  numbers: numbers.peek(),
});

/** What becomes of files in the policy's folder that have a name of the rule's files and other content. */
type Existing = { replace: boolean; keep: boolean };
const ASK: Existing = { replace: false, keep: false };

async function write(found: Rule, existing: Existing): Promise<void> {
  written.value = refused.value = null;
  try {
    const made = await post("rule/write", { ...asked(found), ...existing });
    wrong.value = made.diagnostics;
    if (made.text === null) return;
    setText(made.text);
    written.value = made.files;
    announce("The editor now contains the rule's policy");
  } catch (error) {
    lostContact(error);
    if (error instanceof Refused) refused.value = { message: error.message, exists: error.exists !== null };
  }
}

const ROLE = { identifiers: "identifier", "quasi-identifiers": "quasi-identifier", sensitive: "sensitive" } as const;

/** Mark the rule's columns with its roles, and search with its k. */
function search(found: Rule, k: string): void {
  for (const column of found.columns.filter((each) => !isUnused(each, found))) {
    const [first] = columnsOf(column);
    if (column.role === "person") first !== undefined && void markPerson(first);
    else if (column.role !== null && first !== undefined) void markRole(columnsOf(column), ROLE[column.role]);
  }
  searchFor(k);
}

function Use({ rule: found }: { rule: Rule }) {
  const open = found.columns.filter((column) => isOpen(column, found));
  const isReady = open.length === 0 && found.columns.some((column) => columnsOf(column).length > 0);
  return (
    <section aria-labelledby="use-title">
      <h2 id="use-title">Use the rule</h2>
      <p class="about">
        <em>Write policy</em> replaces the text in the editor; undo restores it. The studio saves the policy only when you press <em>Save</em>. <Advice />
      </p>
      {open.length > 0 && (
        <p class="stale">
          △ Choose a column for <strong>{open.map((column) => column.name).join(", ")}</strong> first.
        </p>
      )}
      {open.length === 0 && !isReady && <p class="stale">△ The table has none of the rule's columns.</p>}
      <p class="row">
        <button type="button" class="primary" disabled={!isReady} onClick={() => void write(found, ASK)}>
          Write policy
        </button>
        <SearchButton rule={found} isReady={isReady} />
      </p>
      <div role="status">
        <Problems problems={wrong.value} />
        {refused.value !== null && (
          <NotWritten refused={refused.value} replace={() => void write(found, { ...ASK, replace: true })}>
            <button type="button" class="small" onClick={() => void write(found, { ...ASK, keep: true })}>
              Keep
            </button>
          </NotWritten>
        )}
        {written.value !== null && <Written files={written.value} />}
      </div>
    </section>
  );
}

function SearchButton({ rule: found, isReady }: { rule: Rule; isReady: boolean }) {
  const { k } = found.parameters;
  const classes = found.columns.filter((column) => column.role === "quasi-identifiers" && !isUnused(column, found)).flatMap(columnsOf);
  if (k === undefined || classes.length === 0 || !hasSearch.value) return null;
  return (
    <button type="button" disabled={!isReady} onClick={() => search(found, numbers.value.k?.trim() || String(k.value))}>
      Search with these numbers
    </button>
  );
}

const Written = ({ files }: { files: string[] }) => (
  <p>
    <span class="mark good">✓ written</span> The editor contains the policy; see its verdicts in <PlaceLink step="refine" panel="lines" />.
    {files.length > 0 && (
      <>
        {" "}
        Its reference tables are in the policy's folder: <strong>{files.join(", ")}</strong>.
      </>
    )}
  </p>
);

function Check({ rule: found }: { rule: Rule }) {
  const checked = check.value.value;
  return (
    <section aria-labelledby="check-title">
      <h2 id="check-title">Check the clauses</h2>
      <p class="about">Checks all records of this table, and of the table that the policy in the editor would release.</p>
      <p>
        <button type="button" disabled={check.busy.value} onClick={() => void check.start({ ...ask.peek(), ...asked(found) })}>
          {check.busy.value ? "Checking…" : "Check"}
        </button>
      </p>
      {(checked !== null || check.failure.value !== null) && (
        <Asked diagnostics={checked?.diagnostics} failure={check.failure.value} waiting={false}>
          <Since asked={check.answered.value} />
          <DataTable quiet caption="Clauses of the rule" head={["Clause", "This table", "Released"]}>
            {Object.entries(found.clauses).map(([clause, title]) => (
              <tr>
                <th scope="row">
                  {clause} <br />
                  <small><Prose text={title} /></small>
                </th>
                {[checked?.before, checked?.after].map((side) => (
                  <td><ClauseMark found={side?.find((each) => each.name === clause)} /></td>
                ))}
              </tr>
            ))}
          </DataTable>
        </Asked>
      )}
    </section>
  );
}

function ClauseMark({ found }: { found: ClauseCheck | undefined }) {
  if (found === undefined) return <span class="mark plain">– not checked</span>;
  if (!found.is_checked) return <span class="mark plain">– not checked</span>;
  if (found.holds) return <span class="mark good">✓ holds</span>;
  if (found.problem !== null) return <><span class="mark bad">✗ violated</span> <small><Prose text={found.problem} /></small></>;
  return <span class="mark bad">✗ violated by {count(found.affected ?? 0)}</span>;
}
