/** Where the page is: a step and, in some steps, a sub-tab, and the column whose hierarchy is edited above them. The address has all three, so the
browser's history leads back. */

import { signal } from "@preact/signals";
import { editedHierarchy, opened } from "./state";

export const STEPS = { open: "Open", columns: "Columns", rule: "Rule or search", refine: "Refine", release: "Release" } as const;
export type StepName = keyof typeof STEPS;
export const STEP_NAMES = Object.keys(STEPS) as StepName[];

/** the sub-tabs of the steps that have any; the first one is shown first */
export const PANELS = {
  rule: { search: "Search", rules: "Rules" },
  refine: { columns: "Columns", lines: "Lines", risk: "Risk", change: "Change", record: "Record", proof: "Proof" },
} as const;
export type StepWithPanels = keyof typeof PANELS;
export type PanelName<S extends StepWithPanels = StepWithPanels> = S extends StepWithPanels ? keyof (typeof PANELS)[S] & string : never;

type Place = { step: StepName; panel: string };
export const place = signal<Place>({ step: "open", panel: "" });

/** the sub-tab that was open last in each step */
const last: Partial<Record<StepName, string>> = {};

export const panelsOf = (step: StepName): Record<string, string> => (step in PANELS ? PANELS[step as StepWithPanels] : {});
const panelIn = (step: StepName, panel: string): string => {
  const names = Object.keys(panelsOf(step));
  return names.find((name) => name === panel) ?? last[step] ?? names[0] ?? "";
};

export const shows = (step: StepName, panel = ""): boolean => place.value.step === step && (panel === "" || place.value.panel === panel);

export const hashOf = (step: StepName, panel = ""): string => {
  const name = panelIn(step, panel);
  return name === "" ? `#${step}` : `#${step}/${name}`;
};

export function go(step: StepName, panel = ""): void {
  location.hash = hashOf(step, panel);
  follow();
}

/** Where to begin if the address does not say. */
export function follow(otherwise: StepName = "open"): void {
  const [address = "", query] = location.hash.slice(1).split("?");
  const [named, panel] = address.split("/");
  const step = STEP_NAMES.find((name) => name === named) ?? otherwise;
  const next = { step, panel: panelIn(step, panel ?? "") };
  last[step] = next.panel;
  if (next.step !== place.peek().step || next.panel !== place.peek().panel) place.value = next;
  const column = new URLSearchParams(query).get(HIERARCHY) ?? "";
  editedHierarchy.value = opened.peek()?.table.columns.includes(column) ? column : null;
}

const HIERARCHY = "hierarchy";
export const hierarchyHash = (column: string): string => `${hashOf(place.value.step, place.value.panel)}?${HIERARCHY}=${encodeURIComponent(column)}`;

/** Edit the hierarchy of a column, as a place of its own in the browser's history. */
export function openHierarchy(column: string): void {
  history.pushState({ [HIERARCHY]: true }, "", hierarchyHash(column));
  follow();
}

/** Back to the place that the editor was opened from; a page that began with the editor has no such place. */
export function closeHierarchy(): void {
  if (editedHierarchy.peek() === null) return;
  editedHierarchy.value = null;
  const { state } = history as { state: { [HIERARCHY]?: boolean } | null };
  if (state?.[HIERARCHY]) history.back();
  else history.replaceState(null, "", hashOf(place.peek().step, place.peek().panel));
}
