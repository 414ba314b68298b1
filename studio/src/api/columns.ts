/** The table's columns and their roles. */

import type { Roles, Ask, Nothing } from "../api";

export type Role = "identifier" | "quasi-identifier" | "sensitive" | "other" | "none";
export type Column = {
  name: string;
  type: string;
  /** a code is never put into bands */
  form: Form;
  missing: number;
  distinct: number;
  /** records with a value that fewer than `SMALLEST` records share, and with a value of their own */
  rare: number;
  unique: number;
  summary: string;
  /** values that many records share; the last bar pools the others. A count may be withheld */
  bars: { label: string; count: number | null }[];
  role: Role;
  proposal: Proposal;
};
export type Form = "number" | "code" | "date" | "text";
/** `is_guess`: only the user can know */
export type Proposal = { role: Exclude<Role, "none">; reason: string; is_guess: boolean };
export type PersonProposal = { column: string; reason: string };
export type Template = { key: string; title: string; text: string; why: string };

export type ColumnsRoutes = {
  table: [Nothing, { columns: Column[]; person: PersonProposal | null; records: number }];
  /** the values that the fewest records share; refused unless values are shown */
  rarest: [{ column: string }, { values: { text: string; records: number }[] }];
  /** the texts of records in the order of the table, null for a missing value; refused unless values are shown */
  rows: [{ first: number; count: number }, { rows: (string | null)[][] }];
  roles: [{ roles: Roles }, { roles: Roles; templates: Template[] }];
  templates: [Ask, { templates: Template[] }];
};
