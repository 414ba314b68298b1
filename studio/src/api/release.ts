/** The release and its reports. */

import type { Diagnosed, Ask, Nothing } from "../api";

/** `always`: so for every release of the studio; `none`: not promised */
export type Basis = "proved" | "checked" | "always" | "none" | "warning";
export type Sentence = { text: string; basis: Basis; line: number | null; from: number | null; to: number | null };
export type Promised = { sentences: Sentence[]; records_in: number; records_out: number; ok: boolean };
export type Released = {
  internal: string | null;
  folder: string;
  promised: Promised;
  table: string | null;
  report: string | null;
  records_in: number;
  records_out: number;
  ok: boolean;
  checks_nothing: boolean;
};
export type ReleaseAsk = Ask & { seen: string; table: string; report: string | null; internal: string | null; replace: boolean };

export type ReleaseRoutes = {
  /** `unbound`: the parameters that need a value first */
  promises: [Ask & { sent: number }, Diagnosed & { unbound: string[]; promised: Promised | null }];
  "release/progress": [Nothing, { written: { done: number; of: number } | null }];
  preview: [Ask, Diagnosed & { ok: boolean }];
  release: [ReleaseAsk, Diagnosed & { released: Released | null }];
};
