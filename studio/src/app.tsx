import { busy } from "./answers";
import { EditorPane } from "./editor/pane";
import { said } from "./live";
import { ChangePanel } from "./panels/change";
import { PolicyPanel } from "./panels/policy";
import { ProofPanel } from "./panels/proof";
import { RecordPanel } from "./panels/record";
import { ReleasePanel } from "./panels/release";
import { RiskPanel } from "./panels/risk";
import { TablePanel } from "./panels/table";
import { Banners } from "./parts/banners";
import { Header } from "./parts/header";
import { RulesPanel } from "./parts/later";
import { Tabs } from "./parts/tabs";
import type { PanelName } from "./state";
import type { ComponentType } from "preact";

const panels: Record<PanelName, ComponentType> = {
  Policy: PolicyPanel,
  Table: TablePanel,
  Rules: RulesPanel,
  Risk: RiskPanel,
  Change: ChangePanel,
  Record: RecordPanel,
  Proof: ProofPanel,
  Release: ReleasePanel,
};

export function App() {
  return (
    <>
      <Header />
      <Banners />
      <main aria-busy={busy.value}>
        <EditorPane />
        <Tabs panels={panels} />
      </main>
      <div class="hidden" role="status" aria-live="polite">
        {said.value}
      </div>
    </>
  );
}
