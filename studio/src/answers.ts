/** The questions that the page keeps asking about the policy and the table. A panel's questions are asked only while it is open. */

import { computed, effect, signal } from "@preact/signals";
import { Answer, steady } from "./answer";
import type { Ask, Proof, Range, Requirement } from "./api";
import { sent } from "./roles";
import { shows as isAt, type StepName } from "./place";
import { ask, epoch, opened, parameterNames, roles, showRecords, text, weightColumn } from "./state";

const ready = () => opened.value !== null;
const shows = (step: StepName, panel = "") => ready() && isAt(step, panel);

export const verdicts = new Answer("verdicts", () => (ready() ? ask.value : null));
/** Verdicts come first, because the user waits for them; concurrent questions would slow each other down. */
const judgedAlready = () => ready() && !verdicts.busy.value;
export const diagnosis = new Answer("diagnose", () => (judgedAlready() ? { ...ask.value, sent: sent.value } : null), 0);
export const proofs = new Answer("proofs", () => (judgedAlready() ? ask.value : null), 0);
/** The first records come before the facts about all columns, which take longer. */
export const recordsArrived = signal(false);
const noneAwaited = () => recordsArrived.value || !showRecords.value || opened.value?.table.records === 0;
export const table = new Answer("table", () => (shows("columns") && noneAwaited() ? {} : null), 0);
/** the column that the user chose last, which another table may lack */
export const chosenColumn = signal<string | null>(null);
/** the column whose details are shown */
export const shownColumn = computed(() => {
  const names = table.value.value?.columns.map(({ name }) => name) ?? [];
  return names.find((name) => name === chosenColumn.value) ?? names[0] ?? null;
});
export const rarest = new Answer("rarest", () =>
  shows("columns") && showRecords.value && shownColumn.value !== null ? { column: shownColumn.value } : null,
);
/** after the table: both need the facts about its columns, which are then cached */
export const templates = new Answer("templates", () => (shows("columns") && table.value.value ? { ...ask.value, sent: sent.value } : null));
/** asked again when values are shown, because the choices have examples then */
export const controls = new Answer(
  "refine/controls",
  () => (shows("refine", "columns") && judgedAlready() ? { ...ask.value, shown: showRecords.value } : null),
  0,
  true,
);
/** What the columns lose is measured one after the other, and never while a verdict is awaited. */
const controlled = () => shows("refine", "columns") && judgedAlready() && !controls.busy.value;
export const effects = new Answer("refine/effects", () => (controlled() ? ask.value : null), 0, true);
const measured = () => controlled() && !effects.busy.value;
const marked = () => ({ ...ask.value, roles: roles.value });
export const change = new Answer("change", () => ((shows("refine", "change") && judgedAlready()) || measured() ? marked() : null), 0, true);
const compared = () => measured() && !change.busy.value;
export const risk = new Answer("risk", () => ((shows("refine", "risk") && judgedAlready()) || compared() ? { ...marked(), sampling_weight: weightColumn.value } : null), 0, true);

/** Whether an answer belongs to an older text, or to other parameters, roles, weights or reading options; the page dims it. */
export function isOld(answered: Ask | null): boolean {
  if (answered === null) return false;
  const now = new Map<string, unknown>(
    Object.entries({ ...ask.value, roles: roles.value, sent: sent.value, sampling_weight: weightColumn.value, epoch: epoch.value }),
  );
  return Object.entries(answered).some(([name, value]) => now.has(name) && JSON.stringify(value) !== JSON.stringify(now.get(name)));
}

/** Promises are of all records, so they may take longer than verdicts, which come first. */
export const promises = new Answer("promises", () =>
  shows("release") && ready() && judgedAlready() ? { ...ask.value, sent: sent.value } : null,
);

effect(() => {
  const names = diagnosis.value.value?.parameters;
  if (names !== undefined) parameterNames.value = names;
});

/** An empty policy is not reported as a mistake. */
export const empty = computed(() => text.value.trim() === "");
export const problems = computed(() => (empty.value ? [] : (diagnosis.value.value?.diagnostics ?? [])));
export const errors = computed(() => problems.value.filter((each) => each.severity === "error"));

/** `text` is the requirement, or the step of a THEN, as the policy spells it */
export type Judged = { requirement: Requirement; text: string; proof: Proof | null };

/** Each requirement with the proof verdict of its own assertion. */
export const judged = computed<Judged[]>(() => {
  const policy = verdicts.answered.value?.text ?? "";
  const proved = new Map((proofs.value.value?.proofs ?? []).map((proof) => [proof.from, proof]));
  return (verdicts.value.value?.verdicts?.requirements ?? []).map((requirement) => ({
    requirement,
    text: policyText(policy, requirement),
    proof: proved.get(requirement.from) ?? null,
  }));
});

export const policyText = (policy: string, { from, to }: Range): string => policy.slice(from, to).replace(/\s+/g, " ");

const anyBusy = computed(() => [diagnosis, verdicts, proofs, promises, table, controls, effects, risk, change].some((each) => each.busy.value));
export const busy = steady(anyBusy);
/** long work outside the questions above: a search, a preview, a release */
export const working = signal<string | null>(null);
