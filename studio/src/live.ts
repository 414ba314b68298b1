/** Announce changes outside the focus to screen readers. */

import { effect, signal } from "@preact/signals";
import { verdicts } from "./answers";
import type { Requirement, Verdicts } from "./api";
import { countNoun, verdictBadge } from "./words";

export const said = signal("");

export function announce(sentence: string): void {
  said.value = sentence;
}

let before: Verdicts | null = null;

effect(() => {
  const now = verdicts.value.value?.verdicts ?? null;
  if (now === null) return;
  const sentence = before === null ? summary(now) : difference(before, now);
  before = now;
  if (sentence !== "") announce(sentence);
});

function summary(found: Verdicts): string {
  const violated = found.requirements.filter((each) => each.holds === false && each.action === null).length;
  const wrong = found.broken.length > 0 ? `Output violates line ${found.broken.join(", ")}` : `${countNoun(violated, "check")} violated`;
  if (found.ok && found.checks_nothing) return `No check in this policy; ${flow(found)}`;
  return found.ok ? flow(found) : `${wrong}; ${flow(found)}`;
}

/** The numbers of records in and out. */
export const flow = ({ records_in, records_out, sample }: Verdicts): string =>
  `${countNoun(records_in, "record")} in, ${countNoun(records_out, "record")} out${sample === null ? "" : ", of a sample"}`;

function difference(old: Verdicts, now: Verdicts): string {
  const earlier = new Map(old.requirements.map((each) => [each.index, word(each)]));
  const changed = now.requirements.filter((each) => earlier.get(each.index) !== word(each));
  if (changed.length === 0 && old.records_out === now.records_out) return "";
  return [...changed.slice(0, 3).map((each) => `Line ${each.line}: ${word(each)}`), summary(now)].join(". ");
}

const word = (requirement: Requirement): string => verdictBadge(requirement).long;
