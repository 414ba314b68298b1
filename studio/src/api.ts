/** The page's requests and the server's answers. Offsets are UTF-16 code units in the text. */

import type { PolicyRoutes } from "./api/policy";
import type { ColumnsRoutes } from "./api/columns";
import type { HierarchiesRoutes } from "./api/hierarchies";
import type { MeasuresRoutes } from "./api/measures";
import type { RefineRoutes } from "./api/refine";
import type { SearchRoutes } from "./api/search";
import type { RulesRoutes } from "./api/rules";
import type { ReleaseRoutes } from "./api/release";
import type { OpeningRoutes } from "./api/opening";

export type * from "./api/policy";
export type * from "./api/columns";
export type * from "./api/hierarchies";
export type * from "./api/measures";
export type * from "./api/refine";
export type * from "./api/search";
export type * from "./api/rules";
export type * from "./api/release";
export type * from "./api/opening";

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
export type Nothing = Record<string, never>;

/** Each route with its question and its answer. */
export type Routes = PolicyRoutes &
  ColumnsRoutes &
  HierarchiesRoutes &
  MeasuresRoutes &
  RefineRoutes &
  SearchRoutes &
  RulesRoutes &
  ReleaseRoutes &
  OpeningRoutes;
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

/** The open project, as this page knows it; the server refuses questions about another one. */
let project: string | null = null;
export const setProject = (id: string | null): void => void (project = id);

/** Identifies this tab: only its own newer questions replace running ones. */
const page = crypto.randomUUID();

export async function post<R extends Route>(route: R, body: Routes[R][0], signal?: AbortSignal): Promise<Routes[R][1]> {
  const response = await send(`/api/${route}`, JSON.stringify({ ...body, page, project }), signal);
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
