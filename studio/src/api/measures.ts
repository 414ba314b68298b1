/** The risk, and the cost of the policy. */

import type { Range, Diagnosed, Nothing, Roles, Sample, Ask } from "../api";

type Probability = { max: number; average: number };
export type RiskSide = {
  records: number;
  /** null unless a column tells persons apart */
  persons: number | null;
  /** what the sizes of classes count */
  counted: "records" | "persons";
  quasi_identifiers: string[];
  k: number | null;
  classes: number;
  uniques: number;
  below: { k: number; records: number }[];
  prosecutor: Probability | null;
  /** null without a population or sampling weights */
  journalist: Probability | null;
  /** null for an empty table */
  marketer: number | null;
  /** null without sampling weights, as the next two */
  individual: Probability | null;
  /** re-identifications */
  expected: number | null;
  /** persons that the records represent */
  population: number | null;
  sensitive: { column: string; distinct_l: number; entropy_l: number; t: number }[];
};
export type Without = { k_with: number | null; k_without: number | null; uniques_without: number; risk_without: number | null };
export type Driver = Without & { column: string; before: Without };
type InClasses = { classes: number; records: number };
export type Risk = {
  before: RiskSide;
  /** null while the policy cannot be applied */
  after: RiskSide | null;
  drivers: Driver[];
  sizes: { size: string; before: InClasses; after?: InClasses }[];
  chart: string;
  has_population: boolean;
  /** what the risk of a person means; empty if records are counted */
  persons: string[];
  sample: Sample;
  notes: string[];
};
export type WrittenRisks = { name: string; records: number; note: string };
export type ColumnChange = {
  column: string;
  /** null if labels cannot be read */
  distance: number | null;
  values_before: number | null;
  values_after: number | null;
  information_lost: number | null;
  loss: number | null;
};
export type LineCost = Range & {
  index: number;
  line: number;
  text: string;
  action: string | null;
  probability: string | null;
  records_lost: number;
  cells_changed: number;
};
export type Change = {
  columns: ColumnChange[];
  loss: number | null;
  lines: LineCost[];
  records_before: number;
  records_after: number;
  sample: Sample;
};

export type MeasuresRoutes = {
  risk: [Ask & { roles: Roles; sampling_weight: string | null }, Diagnosed & { risk: Risk | null }];
  record_risks: [
    Ask & { roles: Roles; sampling_weight: string | null; name: string; released: boolean; replace: boolean },
    Diagnosed & { written: WrittenRisks | null },
  ];
  change: [Ask & { roles: Roles }, Diagnosed & { change: Change | null }];
  /** a sentence for each word that the page explains */
  words: [Nothing, { words: Record<string, string> }];
};
