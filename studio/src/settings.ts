/** The settings of the project: the server has them, its pages share and undo them, and saving writes them. */

import { batch, effect, signal } from "@preact/signals";
import { post, type FrontPage, type Kept, type Params, type Settings } from "./api";
import { epoch, lostContact, notice, opened, parameterValues, roles, sample, settings, settingsDiffer, settingsProblem, unsent } from "./state";

/** Milliseconds to wait while the user types. */
const PAUSE = 300;

/** as the fields show it */
export const frontPage = signal<FrontPage>({ purpose: "", prepared_by: "", recipients: "", valid_until: "" });

type Changes = Partial<FrontPage> & { params?: Params };
let queued: Changes | null = null;
let timer = 0;
/** requests on their way: an answer to an earlier question would undo what they set */
let pending = 0;
let sending: Promise<void> = Promise.resolve();
/** the parameters as the page last sent or received them */
let known = "{}";

const filled = (values: Params): Params => Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""));
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

effect(() => {
  const params = filled(parameterValues.value);
  if (opened.peek() !== null && JSON.stringify(params) !== known) change({ params });
});

export function changeFrontPage(key: keyof FrontPage, value: string): void {
  frontPage.value = { ...frontPage.peek(), [key]: value };
  change({ [key]: value });
}

/** Give a column levels, or with null those that its values suggest. */
export async function changeLevels(column: string, levels: string | null): Promise<void> {
  await flushSettings();
  await inOrder(async () => {
    const { [column]: _, ...others } = settings.peek()?.hierarchies ?? {};
    const answer = await post("settings/change", { hierarchies: levels === null ? others : { ...others, [column]: levels } });
    if (answer.settings === null) notice.value = `Not changed: ${answer.diagnostics[0]?.message ?? ""}`;
  });
  await refreshSettings();
  // a file may have other levels than before
  epoch.value++;
}

function change(changes: Changes): void {
  if (changes.params !== undefined) known = JSON.stringify(changes.params);
  queued = { ...queued, ...changes };
  unsent.value = true;
  clearTimeout(timer);
  timer = window.setTimeout(() => void flushSettings(), PAUSE);
}

/** When the server has the settings that the page shows. */
export function flushSettings(): Promise<void> {
  clearTimeout(timer);
  if (queued !== null) {
    const changes = queued;
    queued = null;
    sending = inOrder(async () => {
      const answer = await post("settings/change", changes);
      if (answer.settings !== null) settings.value = answer.settings;
    });
  }
  return sending;
}

/** Send something that changes settings, after what was sent before. */
export function inOrder(send: () => Promise<void>): Promise<void> {
  pending++;
  return (sending = sending.then(async () => {
    try {
      await send();
    } catch (error) {
      lostContact(error);
      notice.value = error instanceof Error ? `Not changed: ${error.message}` : null;
    } finally {
      pending--;
      unsent.value = queued !== null;
    }
  }));
}

/** Show the settings that the server has now. */
export async function refreshSettings(): Promise<void> {
  if (pending > 0 || queued !== null) return;
  const answer = await post("settings", {});
  if (pending === 0 && queued === null) await follow(answer.settings);
}

export async function follow(next: Settings): Promise<void> {
  const before = settings.peek();
  showSettings(next);
  if (before === null || same(opened.peek()?.settings.reading, next.reading)) return;
  const { opened: now } = await post("open", {});
  if (now === null) return;
  batch(() => {
    opened.value = now;
    sample.value = now.sample;
    epoch.value++;
  });
}

/** Fields keep what the user typed unless another page or an undo has changed it. */
export function showSettings(next: Settings): void {
  const before = settings.peek();
  batch(() => {
    settings.value = next;
    if (before === null || !same(before.params, next.params)) {
      known = JSON.stringify(next.params);
      parameterValues.value = next.params;
    }
    const { purpose, prepared_by, recipients, valid_until } = next;
    frontPage.value = { purpose, prepared_by, recipients, valid_until };
    if (!same(roles.peek(), next.roles)) {
      roles.value = next.roles;
      epoch.value++;
    }
    if (before !== null && !same(before.hierarchies, next.hierarchies)) epoch.value++;
  });
}

/** Forget the settings of the project before. */
export function forgetSettings(): void {
  clearTimeout(timer);
  queued = null;
  settings.value = null;
  unsent.value = settingsDiffer.value = false;
  settingsProblem.value = null;
}

/** What was undone; null if there was nothing to undo. */
export async function undoSettings(): Promise<string | null> {
  await flushSettings();
  const answer = await post("settings/undo", {});
  if (answer.settings !== null) await follow(answer.settings);
  else notice.value = `Not undone: ${answer.diagnostics[0]?.message ?? ""}`;
  return answer.undone;
}

/** Another program has written the settings: load them, or let the next save overwrite them. */
export async function chooseSettings(theirs: boolean): Promise<void> {
  const answer = await post("settings/choose", { theirs });
  if (answer.settings === null) {
    notice.value = `Not loaded: ${answer.diagnostics[0]?.message ?? ""}`;
    return;
  }
  settingsDiffer.value = false;
  await follow(answer.settings);
}

/** What this page knows of the settings, with what it has not sent yet. */
export function keptSettings(): Kept | null {
  const now = settings.peek();
  if (now === null) return null;
  return { ...frontPage.peek(), params: filled(parameterValues.peek()), roles: roles.peek(), reading: now.reading, hierarchies: now.hierarchies };
}

/** Give the server settings that it has lost. */
export async function restoreSettings(kept: Kept): Promise<void> {
  const { purpose, prepared_by, recipients, valid_until, params, reading, hierarchies } = kept;
  const answer = await post("settings/restore", { purpose, prepared_by, recipients, valid_until, params, reading, roles: kept.roles, hierarchies });
  if (answer.settings !== null) await follow(answer.settings);
  else notice.value = `Settings are not restored: ${answer.diagnostics[0]?.message ?? ""}`;
}
