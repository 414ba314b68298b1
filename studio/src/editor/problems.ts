/** Diagnostics in the text, with their fixes as actions. */

import { setDiagnostics, type Action, type Diagnostic as Shown } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import type { Diagnostic, Fix } from "../api";
import { plain } from "../words";
import { element, sentence } from "./dom";
import { applyEdits } from "./edits";

export function showProblems(view: EditorView, problems: Diagnostic[]): void {
  const placed = problems.filter((each) => each.from !== null).map((each) => editorDiagnostic(each, view.state.doc.length));
  view.dispatch(setDiagnostics(view.state, placed));
}

function editorDiagnostic(problem: Diagnostic, length: number): Shown {
  const from = Math.min(problem.from ?? 0, length);
  return {
    from,
    to: Math.min(Math.max(problem.to ?? from, from), length),
    severity: problem.severity,
    source: problem.code,
    message: problem.message,
    renderMessage: () => problemElement(problem),
    actions: problem.fixes.map(action),
  };
}

function action(fix: Fix): Action {
  return { name: plain(fix.title), apply: (view) => applyEdits(view, fix.edits) };
}

function problemElement(problem: Diagnostic): Node {
  const help = problem.help === null ? [] : [sentence("div", "problem-help", problem.help)];
  return element("div", "", sentence("div", "problem-message", problem.message), ...help, element("div", "problem-code", problem.code));
}
