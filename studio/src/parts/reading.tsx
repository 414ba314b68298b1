/** How a table is read: what was found and why, the first records as they are read, and a control for each option. */

import { useState } from "preact/hooks";
import type { Detected, DetectedColumn, Finding, NaWord, Reading } from "../api";
import { changeReading, currentReading, detection, draft } from "../opening";
import { opened, showRecords } from "../state";
import { baseName, count, countNoun, outOf } from "../words";
import { CATEGORY, chooseMissingOf, DatesChoice, effectOf, example, HeaderChoice, MissingChoice, NAMES, OptionChoice, TITLES, type MissingEffect, type OptionKey } from "./choices";
import { Prose } from "./prose";
import { DataTable } from "./table";

export function ReadingPanel() {
  const found = detection.value.value?.detected ?? null;
  if (detection.failure.value !== null) return <p class="empty">{detection.failure.value}</p>;
  const path = draft.value?.path ?? opened.value?.table.path ?? "";
  if (found === null || baseName(found.file) !== baseName(path)) return <p class="empty">Looking at the first records…</p>;
  if (found.sample === "") return draft.value !== null || found.error === null ? null : <p class="stale">✗ <Prose text={found.error.message} /></p>;
  return (
    <section aria-labelledby="reading-title" class={detection.busy.value ? "answer old" : "answer"}>
      <h2 id="reading-title">How the table is read</h2>
      <p class="about">The studio found these options in {found.sample}. Correct what is wrong; the first records below show the effect.</p>
      <NotUsed found={found} />
      <Options found={found} />
      <NaWords words={found.na} />
      <Columns found={found} />
      <FirstRecords found={found} />
    </section>
  );
}

const OPTION_NAMES: Record<keyof Reading, string> = {
  encoding: "encoding",
  delimiter: "delimiter",
  decimal: "decimal mark",
  sheet: "sheet",
  header: "first line",
  na: "words for missing values",
  dates: "date formats",
  missing: "missing values",
};

/** What was found and is not how the table is read: the command line or the person decided otherwise. */
function NotUsed({ found: { options } }: { found: Detected }) {
  const reading = currentReading();
  const keys = (Object.keys(options) as (keyof Reading)[]).filter((key) => JSON.stringify(options[key]) !== JSON.stringify(reading[key]));
  if (keys.length === 0) return null;
  return (
    <p class="row stale">
      <span>△ Found, but not used: {keys.map((key) => OPTION_NAMES[key]).join(", ")}.</span>
      <button type="button" class="small" onClick={() => void changeReading({ ...options, ...(reading.missing && { missing: reading.missing }) })}>
        Use what was found
      </button>
    </p>
  );
}

const KEYS: Record<"csv" | "workbook" | "parquet", OptionKey[]> = { csv: ["encoding", "delimiter", "decimal"], workbook: ["sheet"], parquet: [] };

function Options({ found }: { found: Detected }) {
  const keys = KEYS[found.format ?? "csv"];
  return (
    <dl class="reading">
      {keys.map((key) => (
        <div>
          <dt>
            <label for={`reading-${key}`}>{TITLES[key]}</label>
          </dt>
          <dd class="choice-with-effect">
            <OptionChoice id={`reading-${key}`} option={key} finding={found[key]} />
            <Reason finding={found[key]} />
          </dd>
        </div>
      ))}
      {found.format !== "parquet" && (
        <div>
          <dt>
            <label for="reading-header">First line</label>
          </dt>
          <dd class="choice-with-effect">
            <HeaderChoice />
            <Reason finding={found.header} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Why it was found; formats of dates are shown by an example. */
function Reason({ finding, open = false }: { finding: { reason: string }; open?: boolean }) {
  const words = finding.reason.replace(/`([^`]*%[^`]*)`/g, (_, format: string) => `\`${example(format)}\``);
  return (
    <span class={open ? "stale" : "about"}>
      {open && "△ "}
      <Prose text={words} />
    </span>
  );
}

function NaWords({ words }: { words: NaWord[] }) {
  const used = currentReading().na ?? [];
  const change = (word: string, on: boolean) =>
    void changeReading({ ...currentReading(), na: on ? [...used.filter((each) => each !== word), word] : used.filter((each) => each !== word) });
  return (
    <fieldset>
      <legend>Words that mean a missing value</legend>
      {words.map(({ word, counts, reason }) => (
        <label class="choice">
          <input type="checkbox" checked={used.includes(word)} onChange={(event) => change(word, event.currentTarget.checked)} /> <code>{word}</code>{" "}
          <span class="about">
            {placesOf(counts)}
            <Prose text={reason} />
          </span>
        </label>
      ))}
      <OwnWord add={(word) => change(word, true)} />
    </fieldset>
  );
}

function placesOf(counts: NaWord["counts"]): string {
  const found = Object.entries(counts).map(([name, times]) => `${count(times)} in ${name}`).join(", ");
  return found === "" ? "" : `${found}: `;
}

function OwnWord({ add }: { add: (word: string) => void }) {
  const [word, setWord] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (word !== "") add(word);
    setWord("");
  };
  return (
    <form class="row" onSubmit={submit}>
      <label for="own-word">Another word, such as 999 or k.A.</label>
      <input id="own-word" class="short" value={word} onInput={(event) => setWord(event.currentTarget.value)} />
      <button type="submit" class="small" disabled={word === ""}>
        Count as missing
      </button>
    </form>
  );
}

function Columns({ found }: { found: Detected }) {
  const named = found.columns.filter((column): column is DetectedColumn & { name: string } => column.name !== null);
  const asked = named.filter(({ missing, date, others }) => missing > 0 || date !== null || others > 0);
  if (asked.length === 0) return <p class="about">No column has missing values or local dates.</p>;
  return (
    <>
      <ForAll columns={asked} />
      {tableOf(asked, found)}
    </>
  );
}

const takesWords = ({ kind }: DetectedColumn): boolean => kind === "text" || kind === "code" || kind === null;

/** One choice for all columns that have none. */
function ForAll({ columns }: { columns: (DetectedColumn & { name: string })[] }) {
  const undecided = columns.filter(({ missing, name }) => missing > 0 && effectOf(name) === "none");
  const words = undecided.filter(takesWords);
  if (undecided.length < 2) return null;
  return (
    <p class="row about">
      <span>Missing values of {countNoun(undecided.length, "column")} are not decided.</span>
      <span class="buttons">
        {words.length > 0 && (
          <button type="button" class="small" onClick={() => chooseMissingOf(words.map(({ name }) => name), CATEGORY)}>
            Keep as a category{words.length < undecided.length && ` in ${countNoun(words.length, "column")} of text`}
          </button>
        )}
        <button type="button" class="small" onClick={() => chooseMissingOf(undecided.map(({ name }) => name), "drop")}>
          Drop the records
        </button>
      </span>
    </p>
  );
}

function tableOf(asked: (DetectedColumn & { name: string })[], found: Detected) {
  return (
    <DataTable caption="Missing values and dates" head={["Column", "Missing values", "Dates"]}>
      {asked.map((column) => (
        <tr>
          <th scope="row">{column.name}</th>
          <td>
            {column.missing === 0 ? "none" : <Missing column={column} found={found} />}
            {column.others > 0 && column.date === null && (
              <p>
                <Reason finding={column} open />
              </p>
            )}
          </td>
          <td>{column.date === null ? "–" : <Dates column={column} finding={column.date} />}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function Missing({ column, found }: { column: DetectedColumn & { name: string }; found: Detected }) {
  const part = `${outOf(column.missing, found.records)} ${found.is_whole ? "records" : "records looked at"}`;
  return (
    <div class="choice-with-effect">
      <MissingChoice name={column.name} takesWords={takesWords(column)} {...(column.kind === "date" && { fill: "1900-01-01" })} />
      <span class="about">{EFFECTS[effectOf(column.name)](part)}</span>
    </div>
  );
}

const EFFECTS: Record<MissingEffect, (part: string) => string> = {
  none: (part) => `${part}; a policy that uses this column cannot run yet`,
  drop: (part) => `drops ${part} if the policy uses this column`,
  category: (part) => `${part} become the category “${CATEGORY}”`,
  fill: (part) => `fills ${part}`,
};
function Dates({ column, finding }: { column: DetectedColumn & { name: string }; finding: Finding }) {
  const isOpen = finding.value === null && finding.candidates.length > 1 && currentReading().dates?.[column.name] === undefined;
  return (
    <div class="choice-with-effect">
      <DatesChoice name={column.name} found={typeof finding.value === "string" ? finding.value : null} candidates={finding.candidates} />
      <Reason finding={isOpen ? { reason: `day first or month first? ${finding.reason}` } : finding} open={isOpen || column.others > 0} />
    </div>
  );
}

const SHOWN = 8;

function FirstRecords({ found }: { found: Detected }) {
  if (!showRecords.value) return <p class="about">While Show values is off, the first records are hidden.</p>;
  if (found.rows.length === 0) return null;
  const names = found.columns.map(({ name }, index) => name ?? `column ${index + 1}`);
  return (
    <DataTable caption={`The first ${Math.min(SHOWN, found.rows.length)} records, as they are read`} head={names}>
      {found.rows.slice(0, SHOWN).map((row) => (
        <tr>{row.map((value, index) => <td>{value ?? <em>{filled(names[index] ?? "")}</em>}</td>)}</tr>
      ))}
    </DataTable>
  );
}

const filled = (name: string): string => {
  const value = currentReading().missing?.[name];
  return value === undefined ? "missing" : value === "drop" ? "missing, dropped" : value;
};

/** What was assumed, in one sentence. */
export function Assumed() {
  const found = detection.value.value?.detected;
  if (found === undefined || found === null || draft.value !== null) return null;
  const reading = opened.value?.reading ?? {};
  const delimiter = String(reading.delimiter ?? found.delimiter.value ?? "");
  const parts = [
    ...(found.format === "csv" ? [`delimiter ${NAMES[delimiter] ?? delimiter}`, `encoding ${String(reading.encoding ?? found.encoding.value ?? "utf-8")}`] : []),
    ...(found.format === "workbook" && found.sheet.value !== null ? [`sheet ${String(found.sheet.value)}`] : []),
    ...(reading.decimal === "," ? ["decimal comma"] : []),
    ...Object.keys(reading.dates ?? {}).map((name) => `dates in ${name}`),
    ...(reading.na?.length ? [`${countNoun(reading.na.length, "word")} for missing values`] : []),
  ];
  return parts.length === 0 ? null : <p class="about">Read with: {parts.join(", ")}.</p>;
}
