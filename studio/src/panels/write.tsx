/** Write the table and its reports: run the saved policy on all records; if a check is violated, write nothing. */

import { effect, signal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { promises } from "../answers";
import { post, Refused, type Ask, type Diagnostic, type Released } from "../api";
import { save } from "../files";
import { announce } from "../live";
import { Problems, Since } from "../parts/asked";
import { LineLink } from "../parts/line";
import { PlaceLink } from "../parts/place_link";
import { Prose } from "../parts/prose";
import { rolesArrived, sent } from "../roles";
import { ask, dirty, file, lostContact, opened } from "../state";
import { count, countNoun } from "../words";

type What = "table" | "report" | "internal";
const names: Record<What, Signal<string>> = { table: signal(""), report: signal(""), internal: signal("") };
const REPORTS = ["report", "internal"] as const;
const isWanted = { report: signal(true), internal: signal(true) };
const LABELS: Record<What, string> = { table: "Table", report: "Report for the recipients", internal: "Internal report" };
const CONTENTS: Record<What, string> = {
  table: "the released records.",
  report:
    "the policy without comments, what is promised, risks and charts of the released table, and a certificate. It contains no record, and only values that are released.",
  internal: "the same with values and counts of the original table, so that you can see what was lost. Do not publish it.",
};
const writing = signal(false);
const progress = signal<{ done: number; of: number } | null>(null);
const released = signal<Released | null>(null);
/** the policy that `released` is about */
const asked = signal<Ask | null>(null);
const wrong = signal<Diagnostic[]>([]);
/** why nothing was written, and whether only because the files exist */
export type NotReleased = { message: string; exists: boolean };
const refused = signal<NotReleased | null>(null);

let proposedFor = "";
effect(() => {
  const about = opened.value;
  if (about === null || about.files === proposedFor) return;
  proposedFor = about.files;
  for (const what of ["table", ...REPORTS] as const) names[what].value = about.release[what];
  released.value = refused.value = null;
});

async function write(replace: boolean): Promise<void> {
  writing.value = true;
  released.value = refused.value = null;
  wrong.value = [];
  try {
    await rolesArrived();
    if (!dirty.peek() || (await save())) await watched(release(replace));
    else refused.value = { message: "the policy could not be saved", exists: false };
  } catch (error) {
    lostContact(error);
    if (error instanceof Refused) refused.value = { message: error.message, exists: error.exists !== null };
  } finally {
    writing.value = false;
  }
}

/** Show how far the release is while it is written. */
async function watched(release: Promise<void>): Promise<void> {
  const timer = window.setInterval(() => {
    void post("release/progress", {}).then(({ written }) => void (progress.value = written), lostContact);
  }, 500);
  try {
    await release;
  } finally {
    clearInterval(timer);
    progress.value = null;
  }
}

async function release(replace: boolean): Promise<void> {
  const report = (what: "report" | "internal") => (isWanted[what].peek() ? names[what].peek() : null);
  const body = { ...ask.peek(), sent: sent.peek() };
  const answer = await post("release", {
    ...body,
    seen: file.peek().version,
    table: names.table.peek(),
    report: report("report"),
    internal: report("internal"),
    replace,
  });
  wrong.value = answer.diagnostics;
  released.value = answer.released;
  asked.value = body;
  if (answer.released !== null) announce("Released");
}

export function Write() {
  const submit = (event: Event) => {
    event.preventDefault();
    void write(false);
  };
  const unbound = promises.value.value?.unbound ?? [];
  return (
    <section aria-labelledby="write-title">
      <h2 id="write-title">Write the release</h2>
      <p class="about">
        {dirty.value ? "Saves the policy and its settings, then runs it" : "Runs the saved policy"} on all records. The studio writes all files to the
        policy's folder, or none: it writes nothing if a check is violated or a line does not hold for the result.
      </p>
      <form class="fields" onSubmit={submit}>
        <label for="release-table">{LABELS.table}</label>
        <NameInput what="table" />
        {REPORTS.map((what) => (
          <ReportChoice what={what} />
        ))}
        <button type="submit" class="primary" disabled={writing.value || unbound.length > 0}>
          {writing.value ? "Writing…" : dirty.value ? "Save and write" : "Write"}
        </button>
      </form>
      {unbound.length > 0 && <p class="stale">△ Nothing can be written before the policy has values for {unbound.join(", ")}.</p>}
      {writing.value && <Progress />}
      <Outcome />
    </section>
  );
}

function NameInput({ what }: { what: What }) {
  const off = what !== "table" && !isWanted[what].value;
  return <input id={`release-${what}`} value={names[what].value} disabled={off} onInput={(event) => void (names[what].value = event.currentTarget.value)} />;
}

function ReportChoice({ what }: { what: "report" | "internal" }) {
  return (
    <>
      <label class="switch wanted" title={`It contains ${CONTENTS[what]}`}>
        <input type="checkbox" checked={isWanted[what].value} onChange={(event) => void (isWanted[what].value = event.currentTarget.checked)} />
        {LABELS[what]}
      </label>
      <div>
        <label class="hidden" for={`release-${what}`}>
          File name: {LABELS[what]}
        </label>
        <NameInput what={what} />
        <small class="contents">Contains {CONTENTS[what]}</small>
      </div>
    </>
  );
}

function Progress() {
  const now = progress.value;
  const words = now === null ? "Reading the table" : now.done < now.of ? `Line ${now.done + 1} of ${now.of}` : "Writing the files";
  return (
    <p class="row about">
      <progress aria-label="Progress of the release" {...(now === null ? {} : { max: now.of, value: now.done })} /> {words}…
    </p>
  );
}

function Outcome() {
  const here = useRef<HTMLDivElement>(null);
  const isEmpty = wrong.value.length === 0 && refused.value === null && released.value === null;
  useEffect(() => {
    if (!isEmpty) here.current?.scrollIntoView({ block: "nearest" });
  }, [isEmpty]);
  return (
    <div role="status" ref={here}>
      <Problems problems={wrong.value} />
      {refused.value !== null && <NotWritten refused={refused.value} replace={() => void write(true)} />}
      {released.value !== null && (
        <>
          <Since asked={asked.value} what={released.value.ok ? "these files were written" : "this answer"} />
          <Written done={released.value} />
        </>
      )}
    </div>
  );
}

type NotWrittenProps = { refused: NotReleased; replace: () => void; children?: ComponentChildren };

/** `children` are other ways to deal with files that exist. */
export function NotWritten({ refused: { message, exists }, replace, children }: NotWrittenProps) {
  return (
    <p class="row">
      <span class="mark bad">✗ not written</span> <span><Prose text={message} /></span>
      {exists && (
        <button type="button" class="small" onClick={replace}>
          Replace
        </button>
      )}
      {exists && children}
    </p>
  );
}

function Written({ done }: { done: Released }) {
  if (!done.ok) {
    return (
      <>
        <p class="mark bad">✗ the policy is violated: nothing was written</p>
        <Broken done={done} />
      </>
    );
  }
  return (
    <>
      <p>
        <span class="mark good">✓ written</span> {countNoun(done.records_in, "record")} in, {count(done.records_out)} out
        {done.checks_nothing && "; no check in this policy"}. The files are in <code>{done.folder}</code>.
      </p>
      <h3>Hand out</h3>
      <ul class="plain">
        <WrittenFile what="table" done={done} />
        <WrittenFile what="report" done={done} />
      </ul>
      <h3>Keep</h3>
      <ul class="plain">
        <WrittenFile what="internal" done={done} />
        <li>
          the original table, the policy and <code>acompass.toml</code>: with them, you can explain the release later. Keep a key of pseudonyms secret.
        </li>
      </ul>
    </>
  );
}

function WrittenFile({ what, done }: { what: What; done: Released }) {
  const name = done[what];
  if (name === null) return null;
  return (
    <li>
      <strong>{name}</strong>: {CONTENTS[what]}{" "}
      {what !== "table" && (
        <a href={`/released/${what}`} target="_blank" rel="noopener">
          Open the {LABELS[what].toLowerCase()}
        </a>
      )}
    </li>
  );
}

/** The lines that prevented the release, and what can be done. */
function Broken({ done }: { done: Released }) {
  const found = done.promised.sentences.filter((each) => each.basis === "warning" && each.line !== null);
  return (
    <>
      <ul class="plain">
        {found.map((each) => (
          <li>
            <Prose text={each.text} />{" "}
            {each.line !== null && each.from !== null && each.to !== null && <LineLink line={each.line} range={{ from: each.from, to: each.to }} />}
          </li>
        ))}
      </ul>
      <p class="about">
        Give the line an action, such as REJECT, or change the line after it that undoes its effect. <PlaceLink step="refine" panel="record" /> shows
        what happens to one record.
      </p>
    </>
  );
}
