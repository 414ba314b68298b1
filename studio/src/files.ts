/** Open and save the policy and its settings, and notice changes by other programs. Unseen changes are never overwritten. */

import { batch } from "@preact/signals";
import { post, Refused, setProject, type Opened, type Reading } from "./api";
import { findDraft, keepDrafts, takeDraft } from "./drafts";
import { setText } from "./editor/holder";
import { announce } from "./live";
import { flushSettings, follow as followSettings, forgetSettings, keptSettings, refreshSettings, restoreSettings, showSettings, undoSettings } from "./settings";
import {
  contact,
  dirty,
  textDirty,
  settings,
  settingsDiffer,
  settingsProblem,
  epoch,
  file,
  hasSearch,
  lostContact,
  notice,
  opened,
  sample,
  showRecords,
  text,
  theirs,
} from "./state";

const EVERY = 1000;

/** Show the open project, or the start page. */
export async function open(): Promise<void> {
  const answer = await post("open", {});
  batch(() => {
    hasSearch.value = answer.has_suggest;
    showProject(answer.opened);
  });
}

/** Show a project from its beginning: what the page had belongs to another one. */
export function showProject(project: Opened | null): void {
  setProject(project?.project ?? null);
  if (project === null) {
    opened.value = null;
    forgetSettings();
    return;
  }
  const { policy } = project;
  batch(() => {
    forgetSettings();
    opened.value = project;
    notice.value = null;
    text.value = policy.text;
    setText(policy.text);
    file.value = { text: policy.text, version: policy.version, exists: policy.exists };
    showSettings(project.settings);
    epoch.value++;
    showOpened(project);
  });
  findDraft(project.files);
  keepDrafts();
}

function showOpened(answer: Opened): void {
  opened.value = answer;
  sample.value = answer.sample;
  showRecords.value = answer.show_records;
}

const NOT_SAVED = "Not saved: ";

export async function save(): Promise<boolean> {
  const mine = text.peek();
  try {
    await flushSettings();
    const { version, settings: saved, diagnostics } = await post("save", { text: mine, seen: file.peek().version });
    if (version === null) {
      notice.value = `${NOT_SAVED}${diagnostics[0]?.message ?? ""}.${opened.peek()?.is_writable ? "" : " Go on with a private copy: the step Open offers it."}`;
      return false;
    }
    file.value = { text: mine, version, exists: true };
    if (saved === null) {
      notice.value = `The policy is saved, but its settings are not: ${diagnostics[0]?.message ?? ""}`;
      return false;
    }
    await followSettings(saved);
    if (notice.peek()?.startsWith(NOT_SAVED)) notice.value = null;
    announce("Saved");
    return true;
  } catch (error) {
    lostContact(error);
    const isShown = error instanceof Refused && error.status === 409;
    if (isShown) await checkFile();
    if ((!isShown || settingsProblem.peek() !== null) && error instanceof Refused) notice.value = `${NOT_SAVED}${error.message}`;
    return false;
  }
}

/** Another program or tab wrote the file. A page without unsaved changes reloads it; otherwise the user chooses. */
async function handleOtherVersion(): Promise<void> {
  const found = await post("policy", {});
  if (found.version === file.peek().version) return;
  if (found.version === "") return keepDeleted();
  if (textDirty.peek() && found.text !== text.peek()) theirs.value = found;
  else follow(found);
}

function follow(found: { text: string; version: string }): void {
  const differs = found.text !== text.peek();
  batch(() => {
    file.value = { ...found, exists: true };
    theirs.value = null;
    setText(found.text);
    if (differs) notice.value = `${opened.peek()?.policy.name ?? "The policy"} was changed outside the studio and has been reloaded. Undo restores the previous text.`;
  });
}

/** The file was deleted, or its drive is gone: the text stays, and the next save writes it again. */
function keepDeleted(): void {
  file.value = { text: "", version: "", exists: false };
  theirs.value = null;
  notice.value = `${opened.peek()?.policy.name ?? "The policy"} was deleted outside the studio. Its text is still here; saving writes it again.`;
}

export function loadTheirs(): void {
  if (theirs.value !== null) follow(theirs.value);
}

/** The next save overwrites their version, which the user has seen. */
export function keepMine(): void {
  if (theirs.value === null) return;
  file.value = { ...theirs.value, exists: true };
  theirs.value = null;
}

export function watchFile(): void {
  window.setTimeout(async () => {
    await checkFile().catch(lostContact);
    watchFile();
  }, EVERY);
}

async function checkFile(): Promise<void> {
  const state = await post("state", {});
  const { project, version, show_records } = state;
  if (contact.value === "gone") epoch.value++;
  const own = opened.peek();
  if (own !== null && project !== own.project && state.files === own.files) return reconnect(own);
  const isOwn = project === (own?.project ?? null);
  contact.value = isOwn ? "fine" : project === null ? "closed" : "other";
  if (version === undefined || !isOwn) return;
  showRecords.value = show_records ?? true;
  settingsDiffer.value = state.settings_differ ?? false;
  settingsProblem.value = state.problem ?? null;
  if (state.settings !== settings.peek()?.version) await refreshSettings();
  if (version !== null && version !== (theirs.peek() ?? file.peek()).version) await handleOtherVersion();
}

/** The studio was started again on the same files: go on with what this page has. */
async function reconnect(own: Opened): Promise<void> {
  const kept = dirty.peek() ? keptSettings() : null;
  const { opened: now } = await post("open", {});
  if (now === null || now.files !== own.files) return;
  setProject(now.project);
  batch(() => {
    if (kept === null) showSettings(now.settings);
    showOpened(now);
    epoch.value++;
    contact.value = "fine";
  });
  if (kept !== null) await restoreSettings(kept);
  if (now.policy.version !== file.peek().version) await handleOtherVersion();
  notice.value = `The studio was restarted, and this page has reconnected.${dirty.peek() ? " Its unsaved changes are still here." : ""}`;
}

/** Show unsaved changes of an earlier page. If the file has changed since, the user chooses. */
export async function restoreDraft(): Promise<void> {
  const draft = takeDraft();
  if (draft === null) return;
  const now = file.peek();
  setText(draft.text);
  text.value = draft.text;
  if (draft.base !== now.version && draft.text !== now.text) {
    file.value = { ...now, version: draft.base };
    theirs.value = { text: now.text, version: now.version };
  }
  if (draft.settings !== null) await restoreSettings(draft.settings);
  announce("Unsaved changes were restored");
}

/** Undo the last change of a setting, in this page or another one. */
export async function undo(): Promise<void> {
  try {
    const undone = await undoSettings();
    announce(undone === null ? "Nothing to undo" : `Undone: ${undone.replaceAll("`", "")}`);
  } catch (error) {
    lostContact(error);
  }
}

/** The same project, read in another way: the text stays. */
export function showRead(project: Opened): void {
  batch(() => {
    showSettings(project.settings);
    showOpened(project);
    epoch.value++;
  });
}

/** Drop the records in which a value is missing, for each column without a choice of its own. */
export async function dropIncomplete(): Promise<void> {
  const { reading, table }: { reading: Reading; table: { columns: string[] } } = opened.peek() ?? { reading: {}, table: { columns: [] } };
  const drop = Object.fromEntries(table.columns.map((name) => [name, "drop"]));
  const answer = await post("reading", { reading: { ...reading, missing: { ...drop, ...reading.missing } } });
  if (answer.opened !== null) showRead(answer.opened);
  else notice.value = `Not changed: ${answer.diagnostics[0]?.message ?? ""}`;
}

export async function showValues(on: boolean): Promise<void> {
  try {
    showRecords.value = (await post("show", { on })).show_records;
  } catch (error) {
    lostContact(error);
  }
}

export async function useAllRecords(): Promise<void> {
  const answer = await post("all", { on: true });
  batch(() => {
    sample.value = answer.sample;
    epoch.value++;
  });
}
