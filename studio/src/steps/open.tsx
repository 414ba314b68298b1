/** The first step: which table is open, how it is read, and what else can be opened. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Recent, StartPage } from "../api";
import {
  detection,
  dropDraft,
  draft,
  failure,
  forgetRecent,
  loadStartPage,
  openCopy,
  openDraft,
  openExample,
  openPath,
  problems,
  sendFile,
  startPage,
  waitingPolicy,
  work,
} from "../opening";
import { Problems } from "../parts/asked";
import { FileBrowser } from "../parts/browser";
import { Prose } from "../parts/prose";
import { Assumed, ReadingPanel } from "../parts/reading";
import { hashOf } from "../place";
import { dragged, opened } from "../state";
import { baseName, countNoun, folderOf, size } from "../words";

export function OpenStep() {
  const about = opened.value;
  return (
    <div class={dragged.value ? "drop over" : "drop"}>
      <Working />
      {failure.value !== null && (
        <p class="stale" role="alert">
          ✗ {failure.value}
        </p>
      )}
      <div class={draft.value?.changed ? "old-words" : ""}>
        <Problems problems={problems.value} />
      </div>
      {draft.value !== null ? <Draft path={draft.value.path} /> : about === null ? <Start /> : <OpenTable />}
    </div>
  );
}

/** What the studio is doing, and how to end it. */
function Working() {
  const now = work.value;
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (now === null) return;
    const tick = () => setSeconds(Math.floor((performance.now() - now.since) / 1000));
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [now?.since]);
  if (now === null) return null;
  return (
    <div class="banner open row" role="status">
      <span>
        {now.words}
        {now.bytes === null ? "" : `, ${size(now.bytes)}`}… {seconds > 0 && `${seconds} s`}
      </span>
      {now.done === null ? <progress aria-label={now.words} /> : <progress aria-label={now.words} value={now.done} max={1} />}
      <button type="button" class="small" onClick={now.cancel}>
        Cancel
      </button>
    </div>
  );
}

/** A table that could not be opened as it was read: the options that may solve it. */
function Draft({ path }: { path: string }) {
  return (
    <>
      <h2>{baseName(path)} is not open yet</h2>
      <p class="buttons">
        <button type="button" class="primary" onClick={() => void openDraft()}>
          Open
        </button>
        <button type="button" onClick={dropDraft}>
          Choose another file
        </button>
      </p>
      {draft.value?.changed && <Outlook />}
      <ReadingPanel />
    </>
  );
}

/** Whether the first records can be read now; opening reads all of them. */
function Outlook() {
  const found = detection.value.value?.detected ?? null;
  if (found === null || detection.busy.value) return <p class="about">Looking at the first records…</p>;
  if (found.error === null) return <p role="status">✓ The first records can be read like this.</p>;
  return (
    <p class="stale" role="status">
      ✗ <Prose text={found.error.message} />
    </p>
  );
}

function OpenTable() {
  const about = opened.value;
  const next = useRef<HTMLAnchorElement>(null);
  useEffect(() => next.current?.focus(), [about?.project]);
  if (about === null) return null;
  return (
    <>
      <section aria-labelledby="table-title">
        <header class="row">
          <h2 id="table-title">{about.table.name}</h2>
          <a class="button primary" ref={next} href={hashOf("columns")}>
            Go on to the columns
          </a>
        </header>
        <p class="about">
          {countNoun(about.table.records, "record")}, {countNoun(about.table.columns.length, "column")}, from <code>{about.table.path}</code>.{" "}
          {about.is_writable && (
            <>
              The policy {about.policy.name} and the release are written to <code>{about.folder}</code>.
            </>
          )}
        </p>
        {!about.is_writable && (
          <p class="row stale">
            <span>
              △ You cannot write to <code>{about.folder}</code>: neither the policy nor the release can be saved there.
            </span>
            <button type="button" class="small" onClick={() => void openCopy()}>
              Go on with a private copy
            </button>
          </p>
        )}
        <Assumed />
      </section>
      <ReadingPanel />
      <details class="section" key={about.project}>
        <summary>Open another table</summary>
        <Start />
      </details>
    </>
  );
}

function Start() {
  const page = startPage.value;
  useEffect(() => void loadStartPage(), []);
  if (page === null) return <p class="empty">Loading…</p>;
  return (
    <>
      {waitingPolicy.value !== null && (
        <p class="banner open row" role="status">
          <span>
            Choose the table for <strong>{baseName(waitingPolicy.value)}</strong>.
          </span>
          <button type="button" class="small" onClick={() => void (waitingPolicy.value = null)}>
            Cancel
          </button>
        </p>
      )}
      {opened.value === null && <Welcome />}
      <ChooseFile page={page} />
      <Recents found={page.recent} />
      <section aria-labelledby="folder-title">
        <h2 id="folder-title">This folder</h2>
        {page.here.length > 0 && <Here page={page} />}
        <FileBrowser />
      </section>
      <Examples page={page} />
    </>
  );
}

function Welcome() {
  return (
    <header class="welcome">
      <h2>Anonymize a table</h2>
      <p>
        Open a table of personal data, mark what could identify someone, find a policy, and write the anonymized table with a report of what it
        promises.
      </p>
    </header>
  );
}

function ChooseFile({ page }: { page: StartPage }) {
  const choose = (event: { currentTarget: HTMLInputElement }) => {
    const file = event.currentTarget.files?.[0];
    event.currentTarget.value = "";
    if (file !== undefined) void sendFile(file);
  };
  return (
    <section aria-labelledby="choose-title">
      <h2 id="choose-title">Open a table</h2>
      <p class="dropper">
        <label>
          <span>Drop a file anywhere here, or choose one:</span> <input type="file" accept=".csv,.tsv,.gz,.parquet,.pq,.xlsx,.xlsm" onChange={choose} />
        </label>
      </p>
      {page.private !== null && (
        <p class="about">
          The studio copies a file that you drop or choose here to <code>{page.private}</code>, which only you can read. The copy stays there until
          you delete it. Files from the list below stay where they are.
        </p>
      )}
    </section>
  );
}

function Recents({ found }: { found: Recent[] }) {
  if (found.length === 0) return null;
  return (
    <section aria-labelledby="recent-title">
      <h2 id="recent-title">Recent projects</h2>
      <ul class="files">
        {found.map((recent) => (
          <li class="row">
            <RecentButton recent={recent} />
            <button type="button" class="small quiet" aria-label={`Remove ${baseName(recent.table)} from the list`} onClick={() => void forgetRecent(recent.key)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const WHEN = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeStyle: "short", hour12: false });

function RecentButton({ recent }: { recent: Recent }) {
  const [table, policy] = [baseName(recent.table), baseName(recent.policy)];
  const isOwn = table.startsWith(policy.replace(/acp$/i, ""));
  return (
    <button type="button" disabled={!recent.exists} onClick={() => void openPath(recent.table, null, undefined, recent.policy)}>
      <span class="name">{table}</span>{" "}
      <span class="about">
        {isOwn ? "" : `with ${policy}, `}in {folderOf(recent.table)}
      </span>{" "}
      {recent.exists ? <time dateTime={recent.opened}>{WHEN.format(new Date(recent.opened))}</time> : <span class="mark open">missing</span>}
    </button>
  );
}

function Here({ page }: { page: StartPage }) {
  return (
    <ul class="files" aria-label="Projects of this folder">
      {page.here.map(({ policy, table }) => (
        <li>
          <button type="button" onClick={() => void openPath(policy, null)}>
            <span class="name">{baseName(policy)}</span> <span class="about">{table === null ? "no table named" : `on ${baseName(table)}`}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Examples({ page }: { page: StartPage }) {
  return (
    <section aria-labelledby="example-title">
      <h2 id="example-title">Try an example</h2>
      <ul class="cards">
        {page.examples.map(({ file, title, about, license }) => (
          <li>
            <header class="row">
              <h3>{title}</h3>
              <button type="button" class="small" onClick={() => void openExample(file)}>
                Open a copy
              </button>
            </header>
            <p>
              {about}; {license}.
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
