import { busy } from "./answers";
import { EditorPane } from "./editor/pane";
import { said } from "./live";
import { LinesPanel } from "./panels/lines";
import { SearchPanel } from "./panels/search";
import { Banners } from "./parts/banners";
import { Header } from "./parts/header";
import { ChangePanel, ColumnsStep, HierarchyEditor, OpenStep, ProofPanel, RecordPanel, RefineColumns, ReleaseStep, RiskPanel, RulesPanel } from "./parts/later";
import { NextStep, Steps } from "./parts/steps";
import { Tabs } from "./parts/tabs";
import { place, STEPS, type StepName } from "./place";
import { opened } from "./state";
import type { ComponentType } from "preact";

const RULE = { search: SearchPanel, rules: RulesPanel };
const REFINE = { columns: RefineColumns, lines: LinesPanel, risk: RiskPanel, change: ChangePanel, record: RecordPanel, proof: ProofPanel };

const SHOWN: Record<StepName, ComponentType> = {
  open: () => <Plain shown={OpenStep} />,
  columns: () => <Plain shown={ColumnsStep} />,
  rule: () => <Tabs step="rule" panels={RULE} />,
  refine: () => <Tabs step="refine" panels={REFINE} />,
  release: () => <Plain shown={ReleaseStep} />,
};

/** A step without sub-tabs. */
function Plain({ shown: Shown }: { shown: ComponentType }) {
  return (
    <div class="panel" tabindex={0} role="region" aria-label={STEPS[place.value.step]}>
      <Shown />
    </div>
  );
}

export function App() {
  const Shown = SHOWN[opened.value === null ? "open" : place.value.step];
  return (
    <>
      <Header />
      <Steps />
      <Banners />
      <main class={opened.value === null ? "alone" : ""} aria-busy={busy.value}>
        <div class="panels">
          <Shown />
          <NextStep />
        </div>
        {opened.value !== null && <EditorPane />}
      </main>
      <HierarchyEditor />
      <div class="hidden" role="status" aria-live="polite">
        {said.value}
      </div>
    </>
  );
}
