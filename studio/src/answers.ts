/** Everything the page keeps asking about the policy and the table. A panel's question waits until it is looked at. */

import { computed, effect, signal } from "@preact/signals";
import { Answer, steady } from "./answer";
import type { Proof, Range, Requirement } from "./api";
import { told } from "./roles";
import { ask, opened, panel, parameterNames, roles, type PanelName } from "./state";

const ready = () => opened.value !== null;
const shows = (name: PanelName) => ready() && panel.value === name;

export const diagnosis = new Answer("diagnose", () => (ready() ? ask.value : null));
export const verdicts = new Answer("verdicts", () => (ready() ? ask.value : null));
export const proofs = new Answer("proofs", () => (ready() ? ask.value : null));
export const table = new Answer("table", () => (shows("Table") ? {} : null), 0);
/** after the table: both need the facts of its columns, which are then known */
export const templates = new Answer("templates", () => (shows("Table") && table.value.value ? { ...ask.value, told: told.value } : null));
export const risk = new Answer("risk", () => (shows("Risk") ? { ...ask.value, roles: roles.value } : null));
export const change = new Answer("change", () => (shows("Change") ? { ...ask.value, roles: roles.value } : null));

effect(() => {
  const names = diagnosis.value.value?.parameters;
  if (names !== undefined) parameterNames.value = names;
});

export const problems = computed(() => diagnosis.value.value?.diagnostics ?? []);
export const errors = computed(() => problems.value.filter((each) => each.severity === "error"));

/** `text` is the requirement, or the step of a THEN, as the policy spells it */
export type Judged = { requirement: Requirement; text: string; proof: Proof | null };

/** Each requirement with the proof verdict of its own assertion. */
export const judged = computed<Judged[]>(() => {
  const policy = verdicts.answered.value?.text ?? "";
  const proved = new Map((proofs.value.value?.proofs ?? []).map((proof) => [proof.from, proof]));
  return (verdicts.value.value?.verdicts?.requirements ?? []).map((requirement) => ({
    requirement,
    text: spelled(policy, requirement),
    proof: proved.get(requirement.from) ?? null,
  }));
});

export const spelled = (policy: string, { from, to }: Range): string => policy.slice(from, to).replace(/\s+/g, " ");

const anyBusy = computed(() => [diagnosis, verdicts, proofs, table, risk, change].some((each) => each.busy.value));
export const busy = steady(anyBusy);
/** long work outside the questions above: a search, a preview, a release */
export const working = signal<string | null>(null);
