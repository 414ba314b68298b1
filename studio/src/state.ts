/** The page's state, which is lost when the page closes; only the policy is saved to disk. */

import { computed, signal } from "@preact/signals";
import { Gone, Refused, type Ask, type Opened, type Params, type Roles, type Sample } from "./api";

export const PANELS = ["Policy", "Table", "Rules", "Risk", "Change", "Record", "Proof", "Release"] as const;
export type PanelName = (typeof PANELS)[number];

export const opened = signal<Opened | null>(null);
export const text = signal("");
/** the file as this page last read or wrote it */
export const file = signal({ text: "", version: "", exists: true });
export const dirty = computed(() => text.value !== file.value.text);

/** the names that the policy uses, as of the last diagnosis */
export const parameterNames = signal<string[] | null>(null);
export const parameterValues = signal<Params>({});
export const roles = signal<Roles>({ identifiers: [], quasi_identifiers: [], sensitive: [], other: [], person: null });
export const sample = signal<Sample>(null);
export const showRecords = signal(false);
export const panel = signal<PanelName>("Policy");
/** increases when the same text would get another answer: another sample, other missing values */
export const epoch = signal(0);

/** the file as another program wrote it, while the page has unsaved changes */
export const theirs = signal<{ text: string; version: string } | null>(null);
export type Contact = "fine" | "gone" | "locked out";
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
