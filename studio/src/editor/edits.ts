/** Changes to the text that do not come from the keyboard. Each is one step for undo. */

import { ChangeSet, type ChangeSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Edit } from "../api";

export function applyEdits(view: EditorView, edits: Edit[]): void {
  if (edits.length === 0) return;
  const changes: ChangeSpec[] = edits.map(({ from, to, insert }) => ({ from, to, insert }));
  view.dispatch({ changes: ChangeSet.of(changes, view.state.doc.length), userEvent: "input.edit", scrollIntoView: true });
}

/** Replace the text except for its common start and end, so that the cursor stays in place if possible. */
export function replaceText(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old === text) return;
  const shorter = Math.min(old.length, text.length);
  let start = 0;
  while (start < shorter && old[start] === text[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  applyEdits(view, [{ from: start, to: old.length - end, insert: text.slice(start, text.length - end) }]);
}

/** Add a requirement at the end, after a blank line, and select it. */
export function appendRequirement(view: EditorView, requirement: string): void {
  const old = view.state.doc.toString().replace(/\s+$/, "");
  const from = old.length === 0 ? 0 : old.length + 2;
  const added = `${old.length === 0 ? "" : "\n\n"}${requirement.trim()}\n`;
  view.dispatch({
    changes: { from: old.length, to: view.state.doc.length, insert: added },
    selection: { anchor: from, head: from + requirement.trim().length },
    effects: EditorView.scrollIntoView(from, { y: "center" }),
    userEvent: "input.template",
  });
}

export function goTo(view: EditorView, from: number, to: number): void {
  const end = view.state.doc.length;
  const anchor = Math.min(from, end);
  view.dispatch({
    selection: { anchor, head: Math.min(to, end) },
    effects: EditorView.scrollIntoView(anchor, { y: "center" }),
  });
  view.focus();
}
