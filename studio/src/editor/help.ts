/** Request completions and hovers at the cursor from the server. */

import {
  autocompletion,
  pickedCompletion,
  type Completion as Option,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { hoverTooltip, type EditorView, type Tooltip } from "@codemirror/view";
import { isAbort, post, type Completion, type Hover } from "../api";
import { boundParams } from "../state";
import { element, sentence } from "./dom";

const KINDS: Record<string, string> = { column: "property", parameter: "constant", name: "variable", map: "function", snippet: "text" };
const WORD = /^[\p{L}\p{N}_.-]*$/u;

async function completions(context: CompletionContext): Promise<CompletionResult | null> {
  if (!context.explicit && context.matchBefore(/[\p{L}_]$/u) === null) return null;
  const stop = new AbortController();
  context.addEventListener("abort", () => stop.abort());
  const asked = { text: context.state.doc.toString(), params: boundParams.peek(), at: context.pos };
  const found = await post("complete", asked, stop.signal).catch(ignoreFailure({ completions: [] }));
  const [first] = found.completions;
  if (first === undefined) return null;
  return { from: first.from, options: found.completions.map(option), validFor: WORD };
}

function option(found: Completion): Option {
  return {
    label: found.label,
    detail: found.detail,
    type: KINDS[found.kind] ?? "keyword",
    apply: (view: EditorView, picked: Option, _from: number, to: number) =>
      view.dispatch({
        changes: { from: found.from, to: Math.max(to, found.from), insert: found.insert },
        selection: { anchor: found.from + found.insert.length },
        userEvent: "input.complete",
        annotations: pickedCompletion.of(picked),
      }),
  };
}

async function hoverHelp(view: EditorView, at: number): Promise<Tooltip | null> {
  const asked = { text: view.state.doc.toString(), params: boundParams.peek(), at };
  const { hover } = await post("hover", asked).catch(ignoreFailure({ hover: null }));
  if (hover === null) return null;
  return { pos: hover.from, end: hover.to, above: true, create: () => ({ dom: hoverElement(hover) }) };
}

function hoverElement(hover: Hover): HTMLElement {
  return element("div", "hover-help", sentence("strong", "", hover.title), ...hover.lines.map((line) => sentence("p", "", line)));
}

/** Show no help if the request fails; a banner reports a lost connection. */
const ignoreFailure =
  <T>(nothing: T) =>
  (error: unknown): T => {
    if (!isAbort(error)) console.warn(error);
    return nothing;
  };

export const editorHelp = [
  autocompletion({ override: [completions], icons: false }),
  hoverTooltip(hoverHelp, { hoverTime: 350 }),
];
