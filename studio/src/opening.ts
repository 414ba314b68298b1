/** What the step *Open* does: open a table, send one, and change how the open one is read. */

import { batch, effect, signal } from "@preact/signals";
import { Answer } from "./answer";
import { isAbort, post, Refused, type Diagnostic, type Listing, type Opened, type Reading, type StartPage } from "./api";
import { setText } from "./editor/holder";
import { showProject, showRead } from "./files";
import { announce } from "./live";
import { go, shows } from "./place";
import { keptSettings, restoreSettings } from "./settings";
import { dirty, dropped, lostContact, notice, opened, showRecords, text } from "./state";
import { baseName } from "./words";

export const startPage = signal<StartPage | null>(null);
export const listing = signal<Listing | null>(null);

/** a long call: what it does, how much of it is done (null: unknown), and since when */
type Work = { words: string; bytes: number | null; done: number | null; since: number; cancel: () => void };
export const work = signal<Work | null>(null);

/** why the last call failed: mistakes that an option may solve, or a sentence */
export const problems = signal<Diagnostic[]>([]);
export const failure = signal<string | null>(null);
/** a table that could not be opened, how it is to be read, whether that was changed since, and its policy if it is not the one of the same name */
export const draft = signal<{ path: string; reading: Reading; changed: boolean; policy: string | null } | null>(null);
/** a policy that waits for its table */
export const waitingPolicy = signal<string | null>(null);

/** How the table can be read: that of the draft, or the open one. */
export const detection = new Answer(
  "detect",
  () => {
    const shown = showRecords.value;
    if (opened.value !== null && !shows("open")) return null;
    if (draft.value !== null) return { path: draft.value.path, reading: draft.value.reading, shown };
    return opened.value === null ? null : { reading: opened.value.reading, shown };
  },
  0,
);

export async function loadStartPage(): Promise<void> {
  await tell(async () => void (startPage.value = await post("start", {})));
}

export async function forgetRecent(key: string): Promise<void> {
  await tell(async () => void (startPage.value = await post("forget", { key })));
}

export async function browse(path: string | null): Promise<void> {
  await tell(async () => void (listing.value = await post("browse", path === null ? {} : { path })));
}

/** Open a table, a policy or a folder. Without `reading`, the studio finds out how it must be read. */
export async function openPath(path: string, bytes: number | null, reading?: Reading, ofPolicy: string | null = null): Promise<void> {
  const isTable = !path.toLowerCase().endsWith(".acp");
  const policy = ofPolicy ?? (isTable ? waitingPolicy.value : null);
  const body = { path, ...(policy === null ? {} : { policy }), ...(reading === undefined ? {} : { reading }) };
  const found = await openWith(baseName(path), bytes, (stop) => post("open/table", body, stop));
  if (found === null || found.opened !== null) return;
  if (found.diagnostics.some((each) => each.code === "AC411")) waitingPolicy.value = path;
  else if (isTable) draft.value = { path, policy, changed: false, reading: reading ?? (await findReading(path)) };
}

const findReading = async (path: string): Promise<Reading> =>
  (await post("detect", { path, shown: showRecords.peek() }).catch(() => null))?.detected?.options ?? {};

export const openExample = (name: string): Promise<unknown> => openWith(name, null, (stop) => post("example", { name }, stop));

/** Go on with a copy of the open table in the studio's private folder, with the same text and settings. */
export async function openCopy(): Promise<void> {
  const [mine, kept, about] = [text.peek(), keptSettings(), opened.peek()];
  if (about === null) return;
  const found = await openWith(about.table.name, null, (stop) => post("open/copy", {}, stop), true);
  if (found === null || found.opened === null) return;
  setText(mine);
  text.value = mine;
  if (kept !== null) await restoreSettings(kept);
}

effect(() => {
  const file = dropped.value;
  dropped.value = null;
  if (file !== null) void sendFile(file);
});

/** Send a file to the studio's private folder, and open it there. */
export async function sendFile(file: File): Promise<void> {
  if (!mayLeave()) return;
  const sent = await during(`Copying ${file.name}`, file.size, (stop, progress) => send(file, stop, progress));
  if (sent !== null) await openPath(sent.path, file.size);
}

type Opening = { opened: Opened | null; diagnostics: Diagnostic[] };

async function openWith(name: string, bytes: number | null, ask: (stop: AbortSignal) => Promise<Opening>, keeps = false): Promise<Opening | null> {
  if (!keeps && !mayLeave()) return null;
  const found = await during(`Opening ${name}`, bytes, ask);
  if (found === null) return null;
  batch(() => {
    problems.value = found.diagnostics;
    if (found.opened === null) return;
    draft.value = waitingPolicy.value = null;
    showProject(found.opened);
    announce(`Opened ${found.opened.table.name}`);
  });
  if (found.opened !== null) {
    go("open");
    void loadStartPage();
  }
  return found;
}

const mayLeave = (): boolean => !dirty.peek() || opened.peek() === null || confirm("The policy has changes that are not saved. Open another table without them?");

/** Read the open table, or the one to be opened, in another way. If that fails, it stays as it was. */
export async function changeReading(reading: Reading): Promise<void> {
  const next = compact(reading);
  if (draft.peek() !== null) {
    draft.value = { path: "", policy: null, ...draft.peek(), reading: next, changed: true };
    return;
  }
  const about = opened.peek();
  if (about === null) return;
  const found = await during(`Reading ${about.table.name}`, null, (stop) => post("reading", { reading: next }, stop));
  batch(() => {
    if (found?.opened) showRead(found.opened);
    else if (detection.value.peek() !== null) detection.value.value = { detected: null, ...detection.value.peek() }; // the controls show the old choice again
    if (found !== null) problems.value = found.diagnostics;
  });
  if (found === null) return;
  if (found.opened !== null) announce(`Read ${about.table.name} again`);
  else notice.value = `${about.table.name} is still read as before${shows("open") ? "" : `: ${found.diagnostics[0]?.message ?? ""}`}.`;
}

/** Open the draft as it is described now. */
export async function openDraft(): Promise<void> {
  const now = draft.peek();
  if (now !== null) await openPath(now.path, null, now.reading, now.policy);
}

export function dropDraft(): void {
  batch(() => {
    draft.value = null;
    problems.value = [];
  });
}

/** The options that a change is made to: those of the table that the step shows. */
export const currentReading = (): Reading => draft.peek()?.reading ?? opened.peek()?.reading ?? {};

/** Without empty options, which would be others than their defaults. No word for missing values is a choice, too. */
function compact(reading: Reading): Reading {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === "" || (typeof value === "object" && !Array.isArray(value) && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(reading).filter(([, value]) => !isEmpty(value)));
}

async function during<T>(
  words: string,
  bytes: number | null,
  act: (stop: AbortSignal, progress: (done: number) => void) => Promise<T>,
): Promise<T | null> {
  work.peek()?.cancel();
  const stop = new AbortController();
  const mine: Work = { words, bytes, done: null, since: performance.now(), cancel: () => stop.abort() };
  work.value = mine;
  failure.value = null;
  const progress = (done: number): void => {
    if (work.peek()?.cancel === mine.cancel) work.value = { ...mine, done: done / Math.max(bytes ?? 1, 1) };
  };
  try {
    return await act(stop.signal, progress);
  } catch (error) {
    if (!isAbort(error)) fail(error);
    return null;
  } finally {
    if (work.peek()?.cancel === mine.cancel) work.value = null;
  }
}

async function tell(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  lostContact(error);
  if (error instanceof Refused) failure.value = error.message;
}

/** `fetch` does not say how much was sent. */
function send(file: File, stop: AbortSignal, progress: (done: number) => void): Promise<{ path: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/upload?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => progress(event.loaded);
    request.onload = () => {
      const answer = JSON.parse(request.responseText || "{}") as { path?: string; error?: { message?: string } };
      if (request.status === 200 && answer.path !== undefined) resolve({ path: answer.path });
      else reject(new Refused(request.status, answer.error?.message ?? `the studio answered ${request.status}`, null));
    };
    request.onerror = () => reject(new Refused(0, `${file.name} could not be copied`, null));
    request.onabort = () => reject(new DOMException("canceled", "AbortError"));
    stop.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
