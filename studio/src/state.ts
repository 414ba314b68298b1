/** The page's state. What is not saved is also kept in the browser (`drafts.ts`). */

import { computed, signal } from "@preact/signals";
import { Gone, Refused, type Ask, type Opened, type Params, type Roles, type Sample, type Settings } from "./api";

/** the open project; null at the start page */
export const opened = signal<Opened | null>(null);
/** whether the search for a policy is installed */
export const hasSearch = signal(true);
/** the column whose hierarchy is being edited */
export const editedHierarchy = signal<string | null>(null);
export const text = signal("");
/** whether the last change of the text was typed: answers then wait for a pause, but not after a control was moved */
export const typed = signal(true);
/** the file as this page last read or wrote it */
export const file = signal({ text: "", version: "", exists: true });
export const textDirty = computed(() => text.value !== file.value.text);

/** as the server has them; null at the start page */
export const settings = signal<Settings | null>(null);
/** whether this page has settings that the server does not have yet */
export const unsent = signal(false);
/** whether another program has written the settings, which a page has changed */
export const settingsDiffer = signal(false);
/** why the files of the project cannot be read now */
export const settingsProblem = signal<string | null>(null);
export const dirty = computed(() => textDirty.value || unsent.value || (settings.value?.unsaved ?? false));

/** the names that the policy uses, as of the last diagnosis */
export const parameterNames = signal<string[] | null>(null);
export const parameterValues = signal<Params>({});
export const roles = signal<Roles>({ identifiers: [], quasi_identifiers: [], sensitive: [], other: [], person: null });
/** the column of sampling weights, as the user chose it */
export const chosenWeight = signal<string | null>(null);
/** the same, if the open table has it; persons cannot be counted with weights */
export const weightColumn = computed<string | null>(() => {
  const isColumn = opened.value?.table.columns.includes(chosenWeight.value ?? "") ?? false;
  return isColumn && roles.value.person === null ? chosenWeight.value : null;
});
export const sample = signal<Sample>(null);
export const showRecords = signal(true);
/** whether a file is being dragged over the page, and one that was dropped on the step Open */
export const dragged = signal(false);
export const dropped = signal<File | null>(null);
/** increases when the same text would get another answer: another sample, other missing values */
export const epoch = signal(0);

/** the file as another program wrote it, while the page has unsaved changes */
export const theirs = signal<{ text: string; version: string } | null>(null);
/** `other`: another page has opened another table; `closed`: the studio has no table open */
export type Contact = "fine" | "gone" | "locked out" | "other" | "closed";
export const contact = signal<Contact>("fine");
/** a sentence that stays until it is dismissed */
export const notice = signal<string | null>(null);

export const boundParams = computed<Params>(() => {
  const names = parameterNames.value ?? Object.keys(parameterValues.value);
  const values = parameterValues.value;
  return Object.fromEntries(names.filter((name) => values[name]?.trim()).map((name) => [name, values[name] ?? ""]));
});
export const ask = computed<Ask>(() => ({ text: text.value, params: boundParams.value }));

export function lostContact(error: unknown): void {
  if (error instanceof Gone) contact.value = "gone";
  if (error instanceof Refused && error.status === 401) contact.value = "locked out";
}
