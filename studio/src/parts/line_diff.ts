/** Differences by whole lines: a line of a policy is accepted as a whole or not at all. */

import { Change } from "@codemirror/merge";

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

export function lineDiff(a: string, b: string): Change[] {
  const [left, right] = [linesOf(a), linesOf(b)];
  const common = commonLengths(left, right);
  const changes: Change[] = [];
  const at = { i: 0, j: 0, a: 0, b: 0 };
  let start = { ...at };
  const close = () => {
    if (at.a > start.a || at.b > start.b) changes.push(new Change(start.a, at.a, start.b, at.b));
  };
  while (at.i < left.length || at.j < right.length) {
    const [mine, other] = [left[at.i], right[at.j]];
    if (mine !== undefined && mine === other) {
      close();
      Object.assign(at, { i: at.i + 1, j: at.j + 1, a: at.a + mine.length, b: at.b + mine.length });
      start = { ...at };
    } else if (mine !== undefined && (other === undefined || length(common, at.i + 1, at.j) >= length(common, at.i, at.j + 1))) {
      Object.assign(at, { i: at.i + 1, a: at.a + mine.length });
    } else if (other !== undefined) {
      Object.assign(at, { j: at.j + 1, b: at.b + other.length });
    }
  }
  close();
  return changes;
}

const length = (common: Uint32Array[], i: number, j: number): number => common[i]?.[j] ?? 0;

/** For each pair of positions, the length of the longest common subsequence of the remaining lines. */
function commonLengths(left: string[], right: string[]): Uint32Array[] {
  const table = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    const row = table[i];
    if (row === undefined) continue;
    for (let j = right.length - 1; j >= 0; j--) {
      const same = left[i] === right[j];
      row[j] = same ? length(table, i + 1, j + 1) + 1 : Math.max(length(table, i + 1, j), length(table, i, j + 1));
    }
  }
  return table;
}
