/** The column to the right of the text: each requirement's verdict, count and proof, on its line. */

import { RangeSet, StateEffect, StateField, type Extension, type Range } from "@codemirror/state";
import { gutter, GutterMarker, type EditorView } from "@codemirror/view";
import type { Judged } from "../answers";
import { element } from "./dom";
import { proofBadge, verdictBadge, type Badge } from "../words";

class VerdictMarker extends GutterMarker {
  constructor(
    readonly verdict: Badge,
    readonly proof: Badge | null,
  ) {
    super();
  }

  override eq(other: VerdictMarker): boolean {
    return this.verdict.word === other.verdict.word && this.proof?.word === other.proof?.word;
  }

  override toDOM(): Node {
    const box = element("div", "verdict-mark", badge(this.verdict));
    if (this.proof !== null) box.append(badge(this.proof, "proof-mark"));
    return box;
  }
}

function badge(shown: Badge, extra = ""): Node {
  const box = element("span", `mark ${shown.tone} ${extra}`);
  box.title = shown.long;
  box.append(element("span", "sign", shown.sign), element("span", "word", ` ${shown.brief}`));
  return box;
}

const replaceMarks = StateEffect.define<RangeSet<GutterMarker>>();

const marks = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update: (old, transaction) =>
    transaction.effects.reduce<RangeSet<GutterMarker>>(
      (kept, effect) => (effect.is(replaceMarks) ? effect.value : kept),
      old.map(transaction.changes),
    ),
});

export const verdictColumn: Extension = [
  marks,
  gutter({ class: "cm-verdicts", side: "after", markers: (view) => view.state.field(marks) }),
];

export function showVerdicts(view: EditorView, judged: Judged[]): void {
  const { doc } = view.state;
  const ranges = judged.map(({ requirement, proof }): Range<GutterMarker> => {
    const line = doc.lineAt(Math.min(requirement.from, doc.length));
    return new VerdictMarker(verdictBadge(requirement), proof && proofBadge(proof.verdict)).range(line.from);
  });
  view.dispatch({ effects: replaceMarks.of(RangeSet.of(ranges, true)) });
}
