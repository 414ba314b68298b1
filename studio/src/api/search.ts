/** The search for a policy, with several answers. */

import type { Diagnosed, Hierarchies, Roles, Nothing } from "../api";

export type SearchAsk = {
  roles: Roles;
  /** the policy that the answer may be added to */
  text: string;
  k: number;
  l?: number;
  t?: string;
  max_lost?: string;
  lines?: number;
  importance: Record<string, string>;
  hierarchies: Hierarchies;
};
export type Style = "cascade" | "uniform" | "stars";
/** how an answer compares with the others by loss and lost records */
export type Standing = "searching" | "least loss" | "fewer dropped" | "beaten" | "same" | "unreachable";
/** one of several searches; `max_lost` is the share of the records that it may lose */
export type Tried = { style: Style; max_lost: number; standing: Standing; reason?: string | null };
export type Alternative = Tried & {
  loss: number;
  dropped: number;
  cells_changed: number;
  highest_risk: number;
  /** records, or persons, of the smallest class */
  smallest: number;
  lines: number;
  k: number;
  t: number | null;
  seconds: number;
  finished: boolean;
  /** the policy, and the same for the policy in the editor, whose identifiers it does not drop again; absent while searching */
  text?: string;
  addition?: string;
};
export type Found = {
  alternatives: (Tried | Alternative)[];
  finished: boolean;
  records_in: number | null;
  /** records left out because of missing values */
  incomplete: number | null;
  person: string | null;
  notes: string[];
};
export type Searching = { part: number; loss: number | null; running: Tried | null; alternatives: (Tried | Alternative)[] };

export type SearchRoutes = {
  search: [SearchAsk, Diagnosed & { search: Found | null }];
  /** `are_dropped`: whether the table is read so; otherwise, a search reports them as an error */
  "search/incomplete": [
    { roles: Roles; needs_sensitive: boolean },
    Diagnosed & { incomplete: number | null; are_dropped: boolean | null },
  ];
  stop: [{ topic: string }, Nothing];
  progress: [Nothing, { search: Searching | null }];
};
