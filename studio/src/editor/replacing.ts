/**
 * Replaces a selection by typing. Chromium would put the new text into an element with an inline style, copied from the
 * highlighted words that it replaces; the page's CSP forbids such styles and would log an error.
 */

import { EditorView } from "@codemirror/view";

export const typingOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    if (inputType !== "insertText" || data === null || view.composing || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});
