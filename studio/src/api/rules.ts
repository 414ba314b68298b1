/** Published rules. */

import type { Diagnosed, Params, Ask, Nothing } from "../api";

export type RuleSummary = { name: string; title: string; source: string; dated: string; covers: string; leaves_out: string[] };
export type RuleColumn = {
  name: string;
  meaning: string;
  role: "identifiers" | "quasi-identifiers" | "sensitive" | "person" | null;
  many: boolean;
  required: boolean;
  /** a column of the rule; this one is not used where the table has it */
  unless: string | null;
  /** the table's columns that were matched with it, and why */
  columns: string[];
  reason: "given" | "role" | "name" | "values" | null;
  /** the table's columns that may be meant, if that is not certain */
  candidates: string[] | null;
};
export type Rule = RuleSummary & {
  review: string;
  parameters: Record<string, { value: number | string; meaning: string }>;
  columns: RuleColumn[];
  /** the title of each clause */
  clauses: Record<string, string>;
};
/** the columns of the table for each column of the rule, and the numbers that the user has changed */
export type RuleAsk = { name: string; columns: Record<string, string[]>; numbers: Params };
export type ClauseCheck = {
  name: string;
  title: string;
  holds: boolean;
  /** the number of records that violate it */
  affected: number | null;
  /** why it cannot be evaluated */
  problem: string | null;
  /** whether the table has what the clause is about */
  is_checked: boolean;
};

export type RulesRoutes = {
  rules: [Nothing, Diagnosed & { rules: RuleSummary[] }];
  rule: [{ name: string }, Diagnosed & { rule: Rule | null }];
  /** `files` are the rule's reference tables in the policy's folder */
  "rule/write": [RuleAsk & { replace: boolean; keep: boolean }, Diagnosed & { text: string | null; files: string[] }];
  /** the clauses for the open table, and for the one that the policy would release */
  "rule/check": [Ask & RuleAsk, Diagnosed & { before: ClauseCheck[] | null; after: ClauseCheck[] | null }];
};
