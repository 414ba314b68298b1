/** Words and signs for numbers, verdicts and actions. Color alone never carries meaning. */

import type { ClaimVerdict, Requirement } from "./api";

export type Tone = "good" | "bad" | "open" | "acted" | "plain";
/** `brief` is for the narrow column next to the text */
export type Badge = { tone: Tone; sign: string; word: string; brief: string; long: string };

const NUMBER = new Intl.NumberFormat("en-US");
const SHARE = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });
const FRACTION = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

export const count = (number: number): string => NUMBER.format(number);
export const share = (part: number): string => SHARE.format(part);
export const fraction = (value: number): string => FRACTION.format(value);
export const countNoun = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
export const oneLine = (text: string): string => text.replace(/\s+/g, " ");
/** without the backticks around the user's own words */
export const plain = (sentence: string): string => sentence.replaceAll("`", "");
export const outOf = (part: number, whole: number): string => `${count(part)} of ${count(whole)}`;

const DONE: Record<string, string> = {
  REJECT: "dropped",
  REPLACE: "replaced",
  RANDOM: "randomized",
  GENERALIZE: "generalized",
};

/** What an action did to the affected records. */
export const done = (action: string): string => DONE[action] ?? "changed";

export function verdictBadge(requirement: Requirement): Badge {
  const { holds, action, probability, affected, records } = requirement;
  const part = outOf(affected, records);
  if (action === "DROP" && holds !== true) return COLUMNS_GONE;
  if (holds) return { tone: "good", sign: "✓", word: "holds", brief: "holds", long: `holds for ${countNoun(records, "record")}` };
  if (action !== null && affected > 0) return actionBadge(part, count(affected), done(action), probability, holds === false);
  if (holds === null) return { tone: "plain", sign: "–", word: "no verdict", brief: "no verdict", long: "no verdict" };
  return { tone: "bad", sign: "✗", word: `violated by ${part}`, brief: `${count(affected)} violate`, long: `violated by ${part} records` };
}

const COLUMNS_GONE: Badge = { tone: "acted", sign: "✎", word: "columns dropped", brief: "columns dropped", long: "these columns are not released" };

function actionBadge(part: string, affected: string, verb: string, probability: string | null, repaired: boolean): Badge {
  const effect = probability === null ? verb : `${verb} with probability ${probability}`;
  const brief = probability === null ? `${affected} ${verb}` : `${affected}, by chance`;
  return { tone: "acted", sign: "✎", word: `${part} ${effect}`, brief, long: `${repaired ? "repaired: " : ""}${part} records ${effect}` };
}

const ON_OUTPUT: Record<string, Badge> = {
  proved: { tone: "good", sign: "∎", word: "proved", brief: "proved", long: "proved for every table" },
  holds: { tone: "good", sign: "✓", word: "checked", brief: "checked", long: "checked on the output" },
  violated: { tone: "bad", sign: "✗", word: "violated", brief: "violated", long: "violated by the output" },
  accepted: { tone: "open", sign: "✗", word: "violated, accepted", brief: "accepted", long: "violated by the output, accepted" },
};
/** What is known about the assertion on the table that would be written. */
export const outputBadge = ({ after, accepted }: Requirement): Badge | null =>
  after === null ? null : (ON_OUTPUT[accepted ? "accepted" : after] ?? null);

const PROOFS: Record<ClaimVerdict, Badge> = {
  proved: { tone: "good", sign: "∎", word: "proved", brief: "proved", long: "proved for every table" },
  refuted: { tone: "bad", sign: "≠", word: "refuted", brief: "refuted", long: "refuted by a counterexample" },
  undecided: { tone: "open", sign: "?", word: "undecided", brief: "open", long: "neither proved nor refuted" },
};
export const proofBadge = (verdict: ClaimVerdict): Badge => PROOFS[verdict];
