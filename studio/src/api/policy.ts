/** What is asked about the policy. */

import type { Range, Edit, Diagnosed, Sample, Ask } from "../api";

export type Requirement = Range & {
  index: number;
  line: number;
  text: string;
  action: string | null;
  /** as a decimal, if the action is performed with a probability */
  probability: string | null;
  holds: boolean | null;
  affected: number;
  records: number;
  /** whether the assertion holds for the table that would be written; null if that is not promised */
  after: "proved" | "holds" | "violated" | null;
  /** whether the policy accepts that it does not */
  accepted: boolean;
};
export type Verdicts = {
  requirements: Requirement[];
  records_in: number;
  records_out: number;
  dropped: number;
  ok: boolean;
  /** the lines that do not hold for the table that would be written, and are not accepted */
  broken: number[];
  /** the policy checks nothing, so `ok` says nothing about the table */
  checks_nothing: boolean;
  notes: { line: number | null; text: string }[];
  unnamed: string[];
  sample: Sample;
};
export type Counterexample = {
  columns: { name: string; type: string }[];
  before: string[][];
  after: string[][];
  after_columns: string[];
  trace: string[];
};
export type ClaimVerdict = "proved" | "refuted" | "undecided";
export type Proof = Range & {
  index: number;
  line: number;
  claim: string;
  verdict: ClaimVerdict;
  reason: string;
  counterexample: Counterexample | null;
};
export type Claim = { text: string; verdict: ClaimVerdict; reason: string; counterexample: Counterexample | null };
export type Completion = Range & { label: string; kind: string; insert: string; detail: string };
export type Hover = Range & { title: string; lines: string[] };
export type Step = {
  index: number;
  line: number;
  text: string;
  action: string | null;
  holds: boolean | null;
  affected: boolean;
  dropped: boolean;
  class: { key: Record<string, string>; records: number; values: Record<string, string> } | null;
  change: { column: string; before: string; after: string } | null;
  nearest: string[];
};
export type Life = {
  record: number;
  given: Record<string, string> | null;
  left: Record<string, string> | null;
  dropped_by: number | null;
  steps: Step[];
};

export type PolicyRoutes = {
  diagnose: [Ask, Diagnosed & { parameters: string[] }];
  verdicts: [Ask, Diagnosed & { verdicts: Verdicts | null }];
  proofs: [Ask, Diagnosed & { proofs: Proof[] | null }];
  claim: [Ask & { claim: string }, Diagnosed & { claim: Claim | null }];
  hover: [Ask & { at: number }, { hover: Hover | null }];
  complete: [Ask & { at: number }, { completions: Completion[] }];
  rename: [Ask & { at: number; name: string }, Diagnosed & { edits: Edit[] | null }];
  references: [Ask & { at: number }, { definition: Range | null; references: Range[] }];
  format: [Ask, { edits: Edit[] }];
  record: [Ask & ({ record: number } | { where: string }), Diagnosed & { lives: Life[] | null }];
};
