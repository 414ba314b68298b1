/**
 * Groups of values at one or more levels. Each value has a label at each level, or none; all values of a group have the
 * same label at every higher level, so that each group has one parent.
 */

export type Row = { value: string; labels: string[] };
export type Groups = { rows: Row[]; levels: number };
/** a value, or a group of the level below */
export type Item = { name: string; records: number; values: string[] };
export type Group = { name: string; items: Item[]; records: number };

const NONE = "";
const label = (row: Row, level: number): string => (level === 0 ? row.value : (row.labels[level - 1] ?? NONE));

export const emptyGroups = (values: string[]): Groups => ({ rows: values.filter((value) => value !== "").map((value) => ({ value, labels: [NONE] })), levels: 1 });

/** A file's rows, with the column's other values after them. A last level that is `*` throughout is not edited. */
export function groupsOf(found: string[][], values: string[]): Groups {
  const width = found[0]?.length ?? 2;
  const top = width > 2 && found.every((row) => row[width - 1] === "*") ? 1 : 0;
  const levels = Math.max(1, width - 1 - top);
  const known = new Set(found.map((row) => row[0]));
  const rows = found.map(([value = "", ...labels]) => ({ value, labels: labels.slice(0, levels) }));
  const others = values.filter((value) => value !== "" && !known.has(value));
  return { rows: [...rows, ...others.map((value) => ({ value, labels: Array<string>(levels).fill(NONE) }))], levels };
}

/** The rows of a file: values without a group are left out, and a group without a parent stays as it is. */
export const fileRows = ({ rows }: Groups): string[][] =>
  rows.filter((row) => label(row, 1) !== NONE).map(({ value, labels }) => [value, ...withoutGaps(labels)]);

function withoutGaps(labels: string[]): string[] {
  const found: string[] = [];
  for (const each of labels) found.push(each === NONE ? (found.at(-1) ?? NONE) : each);
  return found;
}

/** What can be put into a group of this level: values, or the groups of the level below. */
function itemsOf({ rows }: Groups, level: number, records: (value: string) => number): Map<string, Item & { parent: string }> {
  const found = new Map<string, Item & { parent: string }>();
  for (const row of rows) {
    const name = label(row, level - 1);
    if (name === NONE) continue;
    const item = found.get(name) ?? { name, records: 0, values: [], parent: label(row, level) };
    item.records += records(row.value);
    item.values.push(row.value);
    found.set(name, item);
  }
  return found;
}

export function listLevel(groups: Groups, level: number, records: (value: string) => number): { free: Item[]; groups: Group[] } {
  const free: Item[] = [];
  const found = new Map<string, Group>();
  for (const { parent, ...item } of itemsOf(groups, level, records).values()) {
    if (parent === NONE) {
      free.push(item);
      continue;
    }
    const group = found.get(parent) ?? { name: parent, items: [], records: 0 };
    group.items.push(item);
    group.records += item.records;
    found.set(parent, group);
  }
  return { free, groups: [...found.values()] };
}

/** The labels of a group at all higher levels; those of a new group are open. */
function parentsOf({ rows, levels }: Groups, level: number, name: string): string[] {
  const member = rows.find((row) => label(row, level) === name);
  return Array.from({ length: levels - level }, (_, place) => (member === undefined ? NONE : label(member, level + 1 + place)));
}

function relabel(groups: Groups, level: number, isMeant: (row: Row) => boolean, labels: string[]): Groups {
  const rows = groups.rows.map((row) =>
    isMeant(row) ? { ...row, labels: [...row.labels.slice(0, level - 1), ...labels] } : row,
  );
  return { ...groups, rows };
}

/** Put items into a group of this level, new or not. */
export function mergeInto(groups: Groups, level: number, items: ReadonlySet<string>, name: string): Groups {
  const labels = [name, ...parentsOf(groups, level, name)];
  return relabel(groups, level, (row) => items.has(label(row, level - 1)), labels);
}

export function takeOut(groups: Groups, level: number, items: ReadonlySet<string>): Groups {
  const labels = Array<string>(groups.levels - level + 1).fill(NONE);
  return relabel(groups, level, (row) => items.has(label(row, level - 1)), labels);
}

/** Each item becomes a group of its own, with its own name. */
export const keepApart = (groups: Groups, level: number, items: ReadonlySet<string>): Groups =>
  [...items].reduce((found, item) => mergeInto(found, level, new Set([item]), item), groups);

/** Items that begin with the same characters become a group, such as diagnoses by the first three characters of their codes. */
export function groupByStart(groups: Groups, level: number, items: string[], length: number): Groups {
  const byStart = new Map<string, Set<string>>();
  for (const item of items) {
    const start = [...item].slice(0, length).join("");
    byStart.set(start, (byStart.get(start) ?? new Set()).add(item));
  }
  return [...byStart].reduce((found, [start, members]) => mergeInto(found, level, members, start), groups);
}

/** If there is a group of the new name already, the two become one. */
export function renameGroup(groups: Groups, level: number, from: string, to: string): Groups {
  const isKnown = groups.rows.some((row) => label(row, level) === to);
  if (!isKnown) return { ...groups, rows: groups.rows.map((row) => (label(row, level) === from ? { ...row, labels: row.labels.with(level - 1, to) } : row)) };
  return relabel(groups, level, (row) => label(row, level) === from, [to, ...parentsOf(groups, level, to)]);
}

export const addLevel = ({ rows, levels }: Groups): Groups => ({
  rows: rows.map((row) => ({ ...row, labels: [...row.labels, NONE] })),
  levels: levels + 1,
});
export const removeLevel = ({ rows, levels }: Groups): Groups => ({
  rows: rows.map((row) => ({ ...row, labels: row.labels.slice(0, levels - 1) })),
  levels: levels - 1,
});
