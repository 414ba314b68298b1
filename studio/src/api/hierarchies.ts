/** The hierarchy editor: values, groups, the policy's line and hierarchy files. */

import type { Ask, Diagnosed, Edit } from "../api";

type Level = { level: number };
/** how the values of a column are grouped; numbers are texts, as the policy spells them */
export type GroupSpec = Level &
  (
    | { kind: "bands"; widths: string[]; from: string | null; up_to: string | null }
    | { kind: "at"; cuts: string[] }
    | { kind: "prefix"; lengths: string[] }
    | { kind: "dates"; units: string[] }
    | { kind: "groups"; file: string; otherwise: string | null; rows: string[][] }
    | { kind: "file"; file: string; otherwise: string | null }
  );
export type GroupProposal = GroupSpec | (Level & { kind: "groups"; rows?: undefined });

export type ColumnHistogram = { start: string; width: string; bars: number[]; lowest: string; highest: string };
export type GroupedColumn = {
  column: string;
  form: "number" | "code" | "date" | "text";
  distinct: number;
  records: number;
  missing: number;
  /** a column with more values is not grouped value by value */
  most: number;
  /** null if there are too many, or if values are hidden */
  values: { text: string; records: number }[] | null;
  histogram: ColumnHistogram | null;
  integer: boolean;
  /** most values are numbers */
  numeric: boolean;
  /** what the policy does with the column now, in every record or only in some; `spec` is null for NEAREST */
  lines: { line: number; text: string; always: boolean; spec: GroupSpec | null }[];
  /** the hierarchy of the project, which the search uses */
  own: GroupSpec | null;
  proposal: GroupProposal;
  files: string[];
};
export type SomeValues = { values: number; records: number; texts: string[] | null };
export type GroupPreview = {
  /** null while values are hidden */
  groups: { label: string; records: number; values: number; examples: string[] }[] | null;
  count: number;
  smallest: number | null;
  /** groups of one record */
  single: number;
  levels: { groups: number; smallest: number | null; uncovered: number }[];
  uncovered: SomeValues;
  /** values that only ELSE gives a group */
  others: SomeValues;
  /** the step of the policy */
  line: string;
  /** null if the policy would be rejected with the line */
  edits: Edit[] | null;
  notes: string[];
  /** the same levels as settings of the project; null if only a file has them */
  search: string | null;
};
export type LoadedHierarchy = {
  problems: { lines: number[]; message: string }[];
  rows: string[][] | null;
  values?: number;
  levels?: number;
  uncovered?: SomeValues;
  /** values of the file that the column does not have */
  unused?: number;
  /** null for UTF-8 */
  encoding?: string | null;
};
type About = Ask & { column: string };

export type HierarchiesRoutes = {
  hierarchy: [About, Diagnosed & { hierarchy: GroupedColumn | null }];
  "hierarchy/cuts": [About & { by: "width" | "count"; bands: number }, Diagnosed & { cuts: string[] }];
  /** `line` is the place of the line to change among those of the column; null for a new one */
  "hierarchy/preview": [About & { spec: GroupSpec; line: number | null }, Diagnosed & { preview: GroupPreview | null }];
  "hierarchy/save": [
    About & { spec: GroupSpec; file: string; replace: boolean },
    Diagnosed & { saved: { file: string; levels: number; search: string } | null },
  ];
  "hierarchy/load": [About & ({ file: string } | { content: string /* base64 */ }), Diagnosed & { loaded: LoadedHierarchy | null }];
};
