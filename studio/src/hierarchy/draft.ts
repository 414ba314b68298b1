/** What the hierarchy editor is editing, its history, and the questions about it. */

import { batch, computed, effect, signal } from "@preact/signals";
import { Answer } from "../answer";
import { post, type Diagnostic, type GroupedColumn, type GroupSpec, type LoadedHierarchy, type GroupProposal } from "../api";
import { ask, editedHierarchy, lostContact, opened, showRecords } from "../state";
import { addLevel, emptyGroups, fileRows, groupsOf, removeLevel, type Groups } from "./groups";

export type Mode = GroupSpec["kind"];
export type Draft = {
  mode: Mode;
  widths: string;
  from: string;
  upTo: string;
  cuts: string[];
  lengths: string;
  units: string[];
  groups: Groups;
  file: string;
  /** what values without a group become; null if they must have one */
  otherwise: string | null;
  /** the level that the policy's line uses */
  level: number;
};

export const UNITS = ["MONTH", "QUARTER", "YEAR", "DECADE"];
const MODES: Record<GroupedColumn["form"], Mode[]> = {
  number: ["bands", "at", "groups", "file"],
  code: ["prefix", "groups", "file"],
  date: ["dates", "prefix", "groups", "file"],
  text: ["groups", "prefix", "file"],
};
/** Numbers among other texts, such as ages up to `90+`, can have bands, too. */
export const modesOf = ({ form, numeric }: GroupedColumn): Mode[] => (form === "text" && numeric ? [...MODES.number, "prefix"] : MODES[form]);

export const draft = signal<Draft | null>(null);
/** the place of the line to change among those of the column; null for a new one */
export const line = signal<number | null>(null);
/** what the last action did, for screen readers: the rest of the page is inert */
export const done = signal("");

const past = signal<Draft[]>([]);
const future = signal<Draft[]>([]);
export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);
/** the field of the last change: what is typed into one field is undone at once */
let field = "";

export function change(next: Partial<Draft>, of = ""): void {
  const now = draft.peek();
  if (now === null) return;
  batch(() => {
    if (of === "" || of !== field) past.value = [...past.peek(), now];
    future.value = problems.value = [];
    draft.value = { ...now, ...next };
  });
  field = of;
}

export function undo(): void {
  step(past, future, "Undone");
}
export function redo(): void {
  step(future, past, "Redone");
}

function step(from: typeof past, to: typeof past, words: string): void {
  const now = draft.peek();
  const next = from.peek().at(-1);
  if (now === null || next === undefined) return;
  batch(() => {
    from.value = from.peek().slice(0, -1);
    to.value = [...to.peek(), now];
    draft.value = next;
    done.value = words;
  });
  field = "";
}

export const listed = (text: string): string[] =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** Whether the groups are still to be made. */
export const isEmpty = ({ mode, groups }: Draft): boolean => mode === "groups" && fileRows(groups).length === 0;

export const levelsOf = ({ mode, widths, lengths, units, groups }: Draft): number => {
  if (mode === "bands") return Math.max(1, listed(widths).length);
  if (mode === "prefix") return Math.max(1, listed(lengths).length);
  if (mode === "dates") return Math.max(1, units.length);
  return mode === "groups" ? groups.levels : 1;
};

export function specOf(found: Draft): GroupSpec {
  const level = found.mode === "file" ? found.level : Math.min(found.level, levelsOf(found));
  const { mode, file, otherwise, from, upTo } = found;
  if (mode === "bands") return { kind: mode, widths: listed(found.widths), from: from.trim() || null, up_to: upTo.trim() || null, level };
  if (mode === "at") return { kind: mode, cuts: found.cuts, level };
  if (mode === "prefix") return { kind: mode, lengths: listed(found.lengths), level };
  if (mode === "dates") return { kind: mode, units: UNITS.filter((unit) => found.units.includes(unit)), level };
  if (mode === "groups") return { kind: mode, file, otherwise, rows: fileRows(found.groups), level };
  return { kind: mode, file, otherwise, level };
}

// the questions

const about = computed(() => (editedHierarchy.value === null ? null : { ...ask.value, column: editedHierarchy.value, shown: showRecords.value }));
export const columnAnswer = new Answer("hierarchy", () => about.value, 0);
export const column = computed<GroupedColumn | null>(() => {
  const found = columnAnswer.value.value?.hierarchy ?? null;
  return found?.column === editedHierarchy.value ? found : null;
});
const spec = computed(() => (draft.value === null ? null : specOf(draft.value)));
export const preview = new Answer("hierarchy/preview", () =>
  about.value === null || spec.value === null || column.value === null ? null : { ...about.value, spec: spec.value, line: line.value },
);
/** the preview of what is shown now, and not of an earlier draft */
export const current = computed(() => (preview.busy.value ? null : (preview.value.value?.preview ?? null)));

/** Begin with what the policy does, with the hierarchy of the project, or with a proposal. */
effect(() => {
  const name = editedHierarchy.value;
  const found = column.value;
  if (begun?.column !== name) leave();
  if (name !== null && found !== null && draft.peek() === null) begin(found);
});

type Unused = { draft: Draft; past: Draft[]; line: number | null };
/** changes that were not used when the editor was closed, until the page is left */
const unused = new Map<string, Unused>();
let begun: { column: string; key: string } | null = null;
/** whether such changes are shown again */
export const isRestored = signal(false);

/** Changes fit as long as the column has the same values. */
const keyOf = ({ column, distinct, records, missing, values }: GroupedColumn): string =>
  [opened.peek()?.project, values === null, distinct, records, missing, column].join(" ");

function leave(): void {
  const now = draft.peek();
  if (now !== null && begun !== null && past.peek().length > 0) unused.set(begun.key, { draft: now, past: past.peek(), line: line.peek() });
  begun = draft.value = null;
}

/** The changes are in the policy or in the project. */
export function finish(): void {
  past.value = [];
  if (begun !== null) unused.delete(begun.key);
}

export function startAgain(): void {
  const found = column.peek();
  finish();
  if (found !== null) begin(found);
}

function begin(found: GroupedColumn): void {
  const own = found.lines.findIndex((each) => each.spec !== null);
  const key = keyOf(found);
  const kept = unused.get(key);
  begun = { column: found.column, key };
  batch(() => {
    past.value = kept?.past ?? [];
    future.value = [];
    field = "";
    done.value = kept === undefined ? "" : "Your changes are shown again";
    isRestored.value = kept !== undefined;
    line.value = kept !== undefined && (kept.line ?? 0) < found.lines.length ? kept.line : own === -1 ? null : own;
    draft.value = kept?.draft ?? withSpec(blank(found), found.lines[own]?.spec ?? found.own ?? found.proposal);
  });
  const { mode = "", file = "" } = draft.peek() ?? {};
  if (mode === "file" && kept === undefined) void loadGroups({ file }).then(() => void (past.value = []));
}

function blank(found: GroupedColumn): Draft {
  const values = (found.values ?? []).map((each) => each.text);
  const proposed = { ...EMPTY, groups: emptyGroups(values), file: `${found.column.replace(/[^\p{L}\p{N}_-]+/gu, "-")}.csv` };
  return withSpec(proposed, found.proposal);
}

const EMPTY: Omit<Draft, "groups" | "file"> = {
  mode: "groups",
  widths: "10",
  from: "",
  upTo: "",
  cuts: [],
  lengths: "3",
  units: UNITS,
  otherwise: null,
  level: 1,
};

function withSpec(base: Draft, given: GroupProposal | GroupSpec): Draft {
  const { level } = given;
  if (given.kind === "bands") return { ...base, mode: "bands", widths: given.widths.join(", "), from: given.from ?? "", upTo: given.up_to ?? "", level };
  if (given.kind === "at") return { ...base, mode: "at", cuts: given.cuts, level };
  if (given.kind === "prefix") return { ...base, mode: "prefix", lengths: given.lengths.join(", "), level };
  if (given.kind === "dates") return { ...base, mode: "dates", units: given.units, level };
  if (given.kind === "file") return { ...base, mode: "file", file: given.file, otherwise: given.otherwise, level };
  return { ...base, mode: "groups", level };
}

// files and boundaries

export const problems = signal<LoadedHierarchy["problems"]>([]);
export const problemsIn = (found: Diagnostic[]): LoadedHierarchy["problems"] =>
  found.map(({ message, help }) => ({ lines: [], message: help === null ? message : `${message}; ${help}` }));
/** what the last loading found, in a sentence */
export const loaded = signal<LoadedHierarchy | null>(null);

/** Load a hierarchy file into the groups; one with too many values is used as it is. */
export async function loadGroups(from: { file: string } | { content: Blob; name: string }): Promise<void> {
  const now = about.peek();
  if (now === null) return;
  const { shown: _, ...asked } = now;
  const given = "file" in from ? { file: from.file } : { content: await base64(from.content) };
  const answer = await post("hierarchy/load", { ...asked, ...given }).catch((error: unknown) => void lostContact(error));
  const found = answer?.loaded ?? null;
  batch(() => {
    loaded.value = found;
    problems.value = found?.problems ?? problemsIn(answer?.diagnostics ?? []);
  });
  if (found === null || found.problems.length > 0) return;
  const file = "file" in from ? from.file : from.name;
  if (found.rows === null) return change({ mode: "file", file });
  const values = (column.peek()?.values ?? []).map((each) => each.text);
  change({ mode: "groups", groups: groupsOf(found.rows, values), file });
  done.value = `Loaded ${file}`;
}

/** The bytes of a file, whose encoding the server finds. */
const base64 = (content: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(content);
  });

export async function findCuts(by: "width" | "count", bands: number): Promise<void> {
  const now = about.peek();
  if (now === null) return;
  const { shown: _, ...asked } = now;
  const answer = await post("hierarchy/cuts", { ...asked, by, bands }).catch((error: unknown) => void lostContact(error));
  if (!answer) return;
  problems.value = problemsIn(answer.diagnostics);
  if (answer.cuts.length === 0) return;
  change({ cuts: answer.cuts });
  done.value = `${answer.cuts.length + 1} bands of about equal ${by}`;
}

export function addGroupLevel(): void {
  const now = draft.peek();
  if (now !== null) change({ groups: addLevel(now.groups) });
}
export function removeGroupLevel(): void {
  const now = draft.peek();
  if (now !== null) change({ groups: removeLevel(now.groups), level: Math.min(now.level, now.groups.levels - 1) });
}
