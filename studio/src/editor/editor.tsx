/** The policy's editor: CodeMirror, synchronized with the page's state. */

import { history, historyKeymap, standardKeymap, toggleComment } from "@codemirror/commands";
import { completionKeymap } from "@codemirror/autocomplete";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { effect, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { diagnosis, isOld, judged, verdicts } from "../answers";
import { text, typed } from "../state";
import { editorKeys } from "./commands";
import { editorHelp } from "./help";
import { holdView } from "./holder";
import { policyLanguage } from "./language";
import { nonce } from "./nonce";
import { showProblems } from "./problems";
import { typingOverSelection } from "./replacing";
import { showVerdicts, verdictColumn } from "./verdicts";

/** increases with every change, even an undo: the editor loses its markers, so they must be set again */
const changes = signal(0);

const extensions: Extension = [
  EditorView.cspNonce.of(nonce()),
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  typingOverSelection,
  highlightActiveLine(),
  highlightActiveLineGutter(),
  policyLanguage,
  verdictColumn,
  editorHelp,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ "aria-label": "Policy text", tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
  // Tab is not bound: it leaves the editor, as everywhere else on the page
  keymap.of([...editorKeys, { key: "Mod-/", run: toggleComment }, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...standardKeymap]),
  EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    typed.value = !update.transactions.some((each) => each.isUserEvent("input.edit"));
    text.value = update.state.doc.toString();
    queueMicrotask(() => changes.value++);
  }),
];

export function Editor() {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const view = new EditorView({ state: EditorState.create({ doc: text.peek(), extensions }), parent: host.current });
    const letGo = holdView(view);
    const stops = [effect(() => followProblems(view)), effect(() => followVerdicts(view)), effect(() => dimOldMarks(view))];
    return () => {
      stops.forEach((stop) => stop());
      letGo();
      view.destroy();
    };
  }, []);
  return <div class="editor" ref={host} />;
}

/** Ignore answers about an older text, whose positions would be wrong. */
function followProblems(view: EditorView): void {
  void changes.value;
  const problems = diagnosis.value.value?.diagnostics;
  const about = diagnosis.answered.value?.text;
  if (problems !== undefined && about === text.peek()) showProblems(view, problems);
}

function followVerdicts(view: EditorView): void {
  void changes.value;
  const shown = judged.value;
  if (verdicts.answered.value?.text === text.peek()) showVerdicts(view, shown);
}

/** The marks of an older text stay in their lines, but dimmed. */
function dimOldMarks(view: EditorView): void {
  view.dom.classList.toggle("old-marks", isOld(verdicts.answered.value));
}
