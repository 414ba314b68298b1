/** Words and signs for numbers, verdicts and actions. Color alone never carries meaning. */

import type { ClaimVerdict, Column, Requirement } from "./api";

export type Tone = "good" | "bad" | "open" | "acted" | "plain";
/** `brief` is for the narrow column next to the text */
export type Badge = { tone: Tone; sign: string; word: string; brief: string; long: string };
const badge = (tone: Tone, sign: string, word: string, long: string, brief = word): Badge => ({ tone, sign, word, brief, long });

const NUMBER = new Intl.NumberFormat("en-US");
const SHARE = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

export const count = (number: number): string => NUMBER.format(number);
export const share = (part: number): string => SHARE.format(part);
export const fraction = (value: number, digits = 3, least = 1): string =>
  value.toLocaleString("en-US", { maximumSignificantDigits: digits, minimumSignificantDigits: least });
export const countNoun = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
const UNITS = ["bytes", "KB", "MB", "GB", "TB"];
/** the size of a file */
export function size(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  return `${NUMBER.format(Number((bytes / 1000 ** power).toPrecision(3)))} ${UNITS[power]}`;
}
/** the last part of a path, of any platform */
export const baseName = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
export const folderOf = (path: string): string => path.slice(0, path.length - baseName(path).length).replace(/(.)[\\/]$/, "$1");
export const oneLine = (text: string): string => text.replace(/\s+/g, " ");
/** without the backticks around the user's own words */
export const plain = (sentence: string): string => sentence.replaceAll("`", "");
/** the first names of a long list, and how many follow */
export const someNames = (names: string[], most = 8): string =>
  names.length <= most ? names.join(", ") : `${names.slice(0, most - 2).join(", ")} and ${count(names.length - most + 2)} others`;
export const outOf = (part: number, whole: number): string => `${count(part)} of ${count(whole)}`;

/** a value that fewer records share could identify a person */
export const SMALLEST = 10;

/** The kind of a column, with its type where that says more. */
export const kindText = ({ form, type }: Column): string => (form === type || type === "text" ? form : `${form} (${type})`);

const DONE: Record<string, string> = {
  REJECT: "dropped",
  REPLACE: "replaced",
  RANDOM: "randomized",
  GENERALIZE: "generalized",
  PSEUDONYM: "pseudonymized",
  SHIFT: "shifted",
  "ADD RANDOM": "randomized",
  MICROAGGREGATE: "averaged",
};

/** What an action did to the affected records. */
export const done = (action: string): string => DONE[action] ?? "changed";

export function verdictBadge(requirement: Requirement): Badge {
  const { holds, action, probability, affected, records } = requirement;
  const part = outOf(affected, records);
  if (action === "DROP" && holds !== true) return COLUMNS_GONE;
  if (holds) return badge("good", "✓", "holds", `holds for ${countNoun(records, "record")}`);
  if (action !== null && affected > 0) return actionBadge(part, count(affected), done(action), probability, holds === false);
  if (holds === null) return badge("plain", "–", "no verdict", "no verdict");
  return badge("bad", "✗", `violated by ${part}`, `violated by ${part} records`, `${count(affected)} violate`);
}

const COLUMNS_GONE = badge("acted", "✎", "columns dropped", "these columns are not released");

function actionBadge(part: string, affected: string, verb: string, probability: string | null, repaired: boolean): Badge {
  const effect = probability === null ? verb : `${verb} with probability ${probability}`;
  const brief = probability === null ? `${affected} ${verb}` : `${affected}, by chance`;
  return badge("acted", "✎", `${part} ${effect}`, `${repaired ? "repaired: " : ""}${part} records ${effect}`, brief);
}

const PROOFS: Record<ClaimVerdict, Badge> = {
  proved: badge("good", "∎", "proved", "proved for every table"),
  refuted: badge("bad", "≠", "refuted", "refuted by a counterexample"),
  undecided: badge("open", "?", "undecided", "neither proved nor refuted", "open"),
};
export const proofBadge = (verdict: ClaimVerdict): Badge => PROOFS[verdict];

const ON_OUTPUT: Record<string, Badge> = {
  proved: PROOFS.proved,
  holds: badge("good", "✓", "checked", "checked on the output"),
  violated: badge("bad", "✗", "violated", "violated by the output"),
  accepted: badge("open", "✗", "violated, accepted", "violated by the output, accepted", "accepted"),
};
/** What is known about the assertion on the table that would be written. */
export const outputBadge = ({ after, accepted }: Requirement): Badge | null =>
  after === null ? null : (ON_OUTPUT[accepted ? "accepted" : after] ?? null);
