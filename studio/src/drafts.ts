/** Unsaved text and settings, kept in the browser for this address: a page can be lost with its tab or its computer.

A page renews its draft while it is open. A draft that is no longer renewed is offered to the next page on the same files. Drafts have no records. */

import { effect, signal } from "@preact/signals";
import type { Kept } from "./api";
import { keptSettings, frontPage } from "./settings";
import { dirty, file, opened, parameterValues, roles, settings, text } from "./state";

type Draft = { text: string; base: string; settings: Kept | null; at: number };
export type FoundDraft = Draft & { key: string };

const PREFIX = "acompass-draft";
const EVERY = 5_000;
/** Milliseconds without renewal after which the page of a draft is gone: browsers let a hidden page run once a minute. */
const LOST = 70_000;
/** Milliseconds after which a draft is deleted, because its files were not opened again. */
const OLD = 60 * 24 * 3_600_000;
const TAB = "acompass-tab";

/** a draft that the user can restore */
export const found = signal<FoundDraft | null>(null);

/** the same after the page is loaded again in its tab */
const tab = ((): string => {
  const known = sessionStorage.getItem(TAB) ?? crypto.randomUUID();
  sessionStorage.setItem(TAB, known);
  return known;
})();

const keyOf = (files: string): string => `${PREFIX} ${files} ${tab}`;

let watching = false;
let timer = 0;

/** Begin to keep drafts, once earlier ones were looked for. */
export function keepDrafts(): void {
  if (watching) return;
  watching = true;
  effect(() => {
    void [text.value, parameterValues.value, roles.value, frontPage.value, settings.value, dirty.value];
    clearTimeout(timer);
    timer = window.setTimeout(renew, 200);
  });
  window.setInterval(renew, EVERY);
  window.addEventListener("pagehide", renew);
}

function renew(): void {
  const project = opened.peek();
  if (project === null || found.peek()?.key === keyOf(project.files)) return;
  if (!dirty.peek()) localStorage.removeItem(keyOf(project.files));
  else write(keyOf(project.files), { text: text.peek(), base: file.peek().version, settings: keptSettings(), at: Date.now() });
}

function write(key: string, draft: Draft): void {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    localStorage.removeItem(key); // no room: an older draft would be mistaken for this one
  }
}

/** Look for drafts of this tab, and of pages that are gone. Old ones are forgotten. */
export function findDraft(files: string): void {
  for (const key of Object.keys(localStorage).filter((each) => each.startsWith(PREFIX))) {
    if (Date.now() - (read(key)?.at ?? 0) > OLD) localStorage.removeItem(key);
  }
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX} ${files} `));
  const drafts = keys.map(read).filter((draft) => draft !== null);
  const lost = drafts.filter(({ key, at }) => key === keyOf(files) || Date.now() - at > LOST);
  const isNew = (draft: FoundDraft): boolean => draft.text !== file.peek().text || JSON.stringify(draft.settings) !== JSON.stringify(keptSettings());
  for (const draft of lost) if (!isNew(draft)) localStorage.removeItem(draft.key);
  found.value = lost.filter(isNew).sort((one, other) => other.at - one.at)[0] ?? null;
}

function read(key: string): FoundDraft | null {
  try {
    return { ...(JSON.parse(localStorage.getItem(key) ?? "") as Draft), key };
  } catch {
    return null;
  }
}

/** The draft, which is forgotten: the page has it now, or the user does not want it. */
export function takeDraft(): FoundDraft | null {
  const draft = found.peek();
  if (draft !== null) localStorage.removeItem(draft.key);
  found.value = null;
  return draft;
}
