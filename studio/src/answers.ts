/** The questions that the page keeps asking about the policy and the table. A panel's questions are asked only while it is open. */

import { computed, effect, signal } from "@preact/signals";
import { Answer, steady } from "./answer";
import type { Proof, Range, Requirement } from "./api";
import { sent } from "./roles";
import { ask, opened, panel, parameterNames, roles, text, type PanelName } from "./state";

const ready = () => opened.value !== null;
const shows = (name: PanelName) => ready() && panel.value === name;

export const verdicts = new Answer("verdicts", () => (ready() ? ask.value : null));
/** Verdicts come first, because the user waits for them; concurrent questions would slow each other down. */
const judgedAlready = () => ready() && !verdicts.busy.value;
export const diagnosis = new Answer("diagnose", () => (judgedAlready() ? { ...ask.value, sent: sent.value } : null), 0);
export const proofs = new Answer("proofs", () => (judgedAlready() ? ask.value : null), 0);
export const table = new Answer("table", () => (shows("Table") ? {} : null), 0);
/** after the table: both need the facts about its columns, which are then cached */
export const templates = new Answer("templates", () => (shows("Table") && table.value.value ? { ...ask.value, sent: sent.value } : null));
export const risk = new Answer("risk", () => (shows("Risk") && judgedAlready() ? { ...ask.value, roles: roles.value } : null));
export const change = new Answer("change", () => (shows("Change") && judgedAlready() ? { ...ask.value, roles: roles.value } : null));

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

const anyBusy = computed(() => [diagnosis, verdicts, proofs, table, risk, change].some((each) => each.busy.value));
export const busy = steady(anyBusy);
/** long work outside the questions above: a search, a preview, a release */
export const working = signal<string | null>(null);
