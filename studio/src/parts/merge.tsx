/** Two texts in one view, with differences that can be accepted or dismissed. */

import { getOriginalDoc, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useLayoutEffect, useRef } from "preact/hooks";
import { policyLanguage } from "../editor/language";
import { nonce } from "../editor/nonce";
import { lineDiff } from "./line_diff";

export type MergeProps = {
  label: string;
  /** the text as it is */
  mine: string;
  /** the text as it could be */
  other: string;
  /** receives the text after a difference was accepted; without it, the view only compares */
  accept?: (text: string) => void;
  /** receives the other text after a difference was dismissed */
  dismiss?: (other: string) => void;
};

const LABELS = { accept: "Accept", reject: "Dismiss" };

function control(type: "accept" | "reject", act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `small ${type}`;
  button.textContent = LABELS[type];
  // not `mousedown`, the view's default: the keyboard never triggers it
  button.onclick = (event) => {
    const diff = button.closest<HTMLElement>(".diff");
    act(event);
    diff?.querySelector<HTMLElement>(`button.${type}`)?.focus();
  };
  return button;
}

function extensions({ label, mine, accept, dismiss }: MergeProps): Extension {
  return [
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
      diffConfig: { override: lineDiff },
      highlightChanges: false,
      gutter: false,
    }),
    EditorView.updateListener.of(({ state, docChanged, startState }) => {
      const after = getOriginalDoc(state).toString();
      if (getOriginalDoc(startState).toString() !== after) accept?.(after);
      else if (docChanged) dismiss?.(state.doc.toString());
    }),
  ];
}

export function MergeDiff(props: MergeProps) {
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<EditorView | null>(null);
  useLayoutEffect(() => {
    const old = shown.current;
    if (host.current === null || (old !== null && shows(old, props))) return;
    old?.destroy();
    const state = EditorState.create({ doc: props.other, extensions: extensions(props) });
    shown.current = new EditorView({ parent: host.current, state });
  }, [props.mine, props.other]);
  useLayoutEffect(() => () => shown.current?.destroy(), []);
  return <div class="diff" ref={host} />;
}

/** A text that came from the view is already shown. */
const shows = (view: EditorView, { mine, other }: MergeProps): boolean =>
  view.state.doc.toString() === other && getOriginalDoc(view.state).toString() === mine;
