/** Diagnostics in the text, with their fixes as actions. */

import { setDiagnostics, type Action, type Diagnostic as Shown } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import type { Diagnostic, Fix } from "../api";
import { applyEdits } from "./edits";

export function showProblems(view: EditorView, problems: Diagnostic[]): void {
  const placed = problems.filter((each) => each.from !== null).map((each) => shown(each, view.state.doc.length));
  view.dispatch(setDiagnostics(view.state, placed));
}

function shown(problem: Diagnostic, length: number): Shown {
  const from = Math.min(problem.from ?? 0, length);
  return {
    from,
    to: Math.min(Math.max(problem.to ?? from, from), length),
    severity: problem.severity,
    source: problem.code,
    message: problem.message,
    renderMessage: () => explained(problem),
    actions: problem.fixes.map(action),
  };
}

function action(fix: Fix): Action {
  return { name: fix.title, apply: (view) => applyEdits(view, fix.edits) };
}

function explained(problem: Diagnostic): Node {
  const box = document.createElement("div");
  box.append(line("problem-message", problem.message));
  if (problem.help !== null) box.append(line("problem-help", problem.help));
  box.append(line("problem-code", problem.code));
  return box;
}

function line(className: string, text: string): Node {
  const made = document.createElement("div");
  made.className = className;
  made.textContent = text;
  return made;
}
