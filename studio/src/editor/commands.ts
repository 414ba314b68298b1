/** Commands of the editor's keys and buttons. */

import type { EditorView, KeyBinding } from "@codemirror/view";
import { signal } from "@preact/signals";
import { post } from "../api";
import { save } from "../files";
import { announce } from "../live";
import { ask, lostContact } from "../state";
import { edit, goTo, policyView } from "./holder";

/** the place that is being renamed, while its form is open */
export const renaming = signal<{ at: number } | null>(null);

export async function format(): Promise<void> {
  const asked = ask.peek();
  try {
    const { edits } = await post("format", asked);
    if (asked.text === ask.peek().text) edit(edits);
    announce(edits.length === 0 ? "Nothing to format" : "Formatted");
  } catch (error) {
    lostContact(error);
  }
}

export function startRename(): void {
  const view = policyView();
  if (view !== null) renaming.value = { at: view.state.selection.main.head };
}

/** An error message for the form, or null if the name was changed. */
export async function rename(at: number, name: string): Promise<string | null> {
  const { diagnostics, edits } = await post("rename", { ...ask.peek(), at, name });
  const [problem] = diagnostics;
  if (problem !== undefined) return problem.help === null ? problem.message : `${problem.message}: ${problem.help}`;
  edit(edits ?? []);
  announce(`Renamed to ${name}`);
  return null;
}

async function goToDefinition(view: EditorView): Promise<void> {
  const { definition } = await post("references", { ...ask.peek(), at: view.state.selection.main.head });
  if (definition !== null) goTo(definition.from, definition.to);
}

const asCommand = (work: (view: EditorView) => unknown) => (view: EditorView) => {
  void work(view);
  return true;
};

export const editorKeys: KeyBinding[] = [
  { key: "Mod-s", run: asCommand(save), preventDefault: true },
  { key: "Shift-Alt-f", run: asCommand(format) },
  { key: "F2", run: asCommand(startRename) },
  { key: "F12", run: asCommand(goToDefinition) },
];
