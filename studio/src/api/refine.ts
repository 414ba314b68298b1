/** The controls of the columns, and what the policy does to columns and records. */

import type { Ask, Diagnosed, Edit, Range, Sample } from "../api";

/** A step of the policy that writes or drops the column; `words` say which records it affects */
export type WrittenLine = Range & { index: number; line: number; text: string; words: string };
export type SettingChoice = {
  key: string;
  kind: "as it is" | "generalized" | "suppressed" | "removed";
  words: string;
  /** the label of a typical value; null while values are hidden */
  example: string | null;
  /** null if the choice is not possible, for this `reason`; empty for the current setting */
  edits: Edit[] | null;
  reason: string | null;
};
export type Control = {
  column: string;
  /** the key of a choice; null if only the text can show what happens to the column */
  setting: string | null;
  choices: SettingChoice[];
  line: WrittenLine | null;
  others: WrittenLine[];
};
/** `lost`: the label `*`, which is lost detail and not a value */
export type Bar = { label: string; count: number | null; lost: boolean };
export type Effect = {
  column: string;
  released: boolean;
  changed: number;
  suppressed: number;
  records: number;
  before: Bar[];
  after: Bar[];
};
/** the cells in the order of the table's columns; null if the record is not released */
export type Pair = { before: (string | null)[]; after: (string | null)[] | null };

export type RefineRoutes = {
  "refine/controls": [Ask & { shown: boolean }, Diagnosed & { controls: Control[] | null }];
  "refine/effects": [Ask, Diagnosed & { effects: Effect[] | null; sample?: Sample }];
  "refine/rows": [Ask & { first: number; count: number }, Diagnosed & { rows: Pair[] | null }];
};
