/** The policy editor, for panels that change the text or show a place in it. */

import type { EditorView } from "@codemirror/view";
import type { Edit } from "../api";
import * as edits from "./edits";

let current: EditorView | null = null;

export function holdView(view: EditorView): () => void {
  current = view;
  return () => {
    current = null;
  };
}

export const policyView = (): EditorView | null => current;

export const setText = (text: string): void => withView((view) => edits.replaceText(view, text));
export const edit = (changes: Edit[]): void => withView((view) => edits.applyEdits(view, changes));
export const goTo = (from: number, to: number): void => withView((view) => edits.goTo(view, from, to));
export const insertRequirement = (text: string): void => withView((view) => edits.appendRequirement(view, text));

function withView(use: (view: EditorView) => void): void {
  if (current !== null) use(current);
}
