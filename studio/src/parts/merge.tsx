/** Two texts as one, with their differences; each may be taken over or dismissed. */

import { getOriginalDoc, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useLayoutEffect, useRef } from "preact/hooks";
import { policyLanguage } from "../editor/language";
import { nonce } from "../editor/nonce";

type Props = {
  label: string;
  /** the text as it is */
  mine: string;
  /** the text as it could be */
  other: string;
  /** the text after a difference was taken over; without it, the view only compares */
  accept?: (text: string) => void;
  /** called when a difference was dismissed, with the other text without it */
  dismiss?: (other: string) => void;
};

const LABELS = { accept: "Take over", reject: "Dismiss" };

function control(type: "accept" | "reject", act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `small ${type}`;
  button.textContent = LABELS[type];
  // `mousedown` comes before a click and never from the keyboard
  button.onclick = act;
  return button;
}

export function MergeDiff({ label, mine, other, accept, dismiss }: Props) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: other,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          EditorView.editable.of(false),
          EditorState.readOnly.of(true),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          lineNumbers(),
          policyLanguage,
          unifiedMergeView({
            original: mine,
            mergeControls: accept === undefined ? false : control,
            collapseUnchanged: { margin: 2, minSize: 6 },
            gutter: false,
          }),
          EditorView.updateListener.of(({ state, docChanged, startState }) => {
            const before = getOriginalDoc(startState).toString();
            const after = getOriginalDoc(state).toString();
            if (before !== after) accept?.(after);
            else if (docChanged) dismiss?.(state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
    // a text that came out of this view is already shown
  }, [mine, other]);
  return <div class="diff" ref={host} />;
}
