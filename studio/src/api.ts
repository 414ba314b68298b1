/** The page's requests and the server's answers. Offsets are UTF-16 code units in the text. */

export type Range = { from: number; to: number };
export type Edit = Range & { insert: string };
export type Fix = { title: string; safe: boolean; edits: Edit[] };
export type Diagnostic = {
  code: string;
  message: string;
  help: string | null;
  severity: "error" | "warning";
  from: number | null;
  to: number | null;
  page: string;
  related: (Range & { text: string })[];
  fixes: Fix[];
};
export type Diagnosed = { diagnostics: Diagnostic[] };

/** `person` is the column that tells persons apart; it has one of the roles as well */
export type Roles = { identifiers: string[]; quasi_identifiers: string[]; sensitive: string[]; other: string[]; person: string | null };
export type Sample = { records: number; of: number } | null;
export type Params = Record<string, string>;
export type Ask = { text: string; params: Params };
type Nothing = Record<string, never>;

export type Opened = {
  policy: { name: string; text: string; version: string; exists: boolean };
  table: { name: string; records: number; columns: string[] };
  params: Params;
  roles: Roles;
  sample: Sample;
  show_records: boolean;
  has_suggest: boolean;
  release: { table: string; report: string };
  missing: { drop: boolean };
  version: string;
};

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

export type Role = "identifier" | "quasi-identifier" | "sensitive" | "other" | "none";
export type Column = {
  name: string;
  type: string;
  missing: number;
  distinct: number;
  summary: string;
  /** values that many records share; the last bar pools the others. A count may be withheld */
  bars: { label: string; count: number | null }[];
  role: Role;
};
export type Template = { key: string; title: string; text: string; why: string };

type Probability = { max: number; average: number };
export type RiskSide = {
  records: number;
  quasi_identifiers: string[];
  k: number | null;
  classes: number;
  uniques: number;
  below: { k: number; records: number }[];
  prosecutor: Probability | null;
  /** null without a population */
  journalist: Probability | null;
  sensitive: { column: string; distinct_l: number; entropy_l: number; t: number }[];
};
export type Without = { k_with: number | null; k_without: number | null; uniques_without: number };
export type Driver = Without & { column: string; before: Without };
type InClasses = { classes: number; records: number };
export type Risk = {
  before: RiskSide;
  /** null while the policy cannot be applied */
  after: RiskSide | null;
  drivers: Driver[];
  sizes: { size: string; before: InClasses; after?: InClasses }[];
  chart: string;
  sample: Sample;
  notes: string[];
};

export type ColumnChange = {
  column: string;
  distance: number;
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

export type SuggestAsk = {
  roles: Roles;
  /** the policy that the suggestion will be added to */
  text?: string;
  k: number;
  l?: number;
  max_lost?: string;
  lines?: number;
  style?: string;
};
export type Suggestion = {
  text: string;
  loss: number;
  dropped: number;
  steps: { text: string; affected: number; loss: number }[];
  curve: { lines: number; loss: number; dropped: number }[];
  seconds: number;
  finished: boolean;
  records_out: number;
};
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
export type Released = { table: string | null; report: string | null; records_in: number; records_out: number; ok: boolean; checks_nothing: boolean };
export type ReleaseAsk = Ask & { seen: string; table: string; report: string | null; replace: boolean };

/** Each route with its question and its answer. */
export type Routes = {
  open: [Nothing, Opened];
  state: [Nothing, { version: string; show_records: boolean }];
  policy: [Nothing, { text: string; version: string }];
  save: [{ text: string; seen: string }, { version: string }];
  missing: [{ drop: boolean }, Opened];
  all: [{ on: boolean }, { sample: Sample }];
  diagnose: [Ask, Diagnosed & { parameters: string[] }];
  verdicts: [Ask, Diagnosed & { verdicts: Verdicts | null }];
  proofs: [Ask, Diagnosed & { proofs: Proof[] | null }];
  claim: [Ask & { claim: string }, Diagnosed & { claim: Claim | null }];
  hover: [Ask & { at: number }, { hover: Hover | null }];
  complete: [Ask & { at: number }, { completions: Completion[] }];
  rename: [Ask & { at: number; name: string }, Diagnosed & { edits: Edit[] | null }];
  references: [Ask & { at: number }, { definition: Range | null; references: Range[] }];
  format: [Ask, { edits: Edit[] }];
  table: [Nothing, { columns: Column[]; records: number }];
  roles: [{ roles: Roles }, { roles: Roles; templates: Template[] }];
  templates: [Ask, { templates: Template[] }];
  risk: [Ask & { roles: Roles }, Diagnosed & { risk: Risk | null }];
  change: [Ask & { roles: Roles }, Diagnosed & { change: Change | null }];
  show: [{ on: boolean }, { show_records: boolean }];
  record: [Ask & ({ record: number } | { where: string }), Diagnosed & { lives: Life[] | null }];
  suggest: [SuggestAsk, Diagnosed & { suggestion: Suggestion | null }];
  rules: [Nothing, Diagnosed & { rules: RuleSummary[] }];
  rule: [{ name: string }, Diagnosed & { rule: Rule | null }];
  /** `files` are the rule's reference tables in the policy's folder */
  "rule/write": [RuleAsk & { replace: boolean; keep: boolean }, Diagnosed & { text: string | null; files: string[] }];
  /** the clauses for the open table, and for the one that the policy would release */
  "rule/check": [Ask & RuleAsk, Diagnosed & { before: ClauseCheck[] | null; after: ClauseCheck[] | null }];
  stop: [{ topic: string }, Nothing];
  progress: [Nothing, { suggest: { part: number; loss: number } | null }];
  preview: [Ask, Diagnosed & { ok: boolean }];
  release: [ReleaseAsk, Diagnosed & { released: Released | null }];
};
export type Route = keyof Routes;

/** The server rejected the request. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** files that already exist, if that is the reason */
    readonly exists: string[] | null,
  ) {
    super(message);
  }
}

/** A newer question of this page replaced this one. */
export class Stale extends Error {}

/** No response: the studio was stopped, or the computer is asleep. */
export class Gone extends Error {}

/** Identifies this tab: only its own newer questions replace running ones. */
const page = crypto.randomUUID();

export async function post<R extends Route>(route: R, body: Routes[R][0], signal?: AbortSignal): Promise<Routes[R][1]> {
  const response = await send(`/api/${route}`, JSON.stringify({ ...body, page }), signal);
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw refusal(response.status, answer);
  if ((answer as { stale?: boolean } | null)?.stale) throw new Stale("a newer question replaced this one");
  return answer as Routes[R][1];
}

async function send(address: string, body: string, signal?: AbortSignal): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  try {
    return await fetch(address, { method: "POST", headers, body, signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Gone("the studio does not answer");
  }
}

function refusal(status: number, answer: unknown): Refused {
  const { error, exists } = (answer ?? {}) as { error?: { message?: string }; exists?: string[] };
  return new Refused(status, error?.message ?? `the studio answered ${status}`, exists ?? null);
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";
