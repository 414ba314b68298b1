/** What the page loads on first use, as one file. */

export { HierarchyEditor } from "./hierarchy/editor";
export { ChangePanel } from "./panels/change";
export { ProofPanel } from "./panels/proof";
export { RecordPanel } from "./panels/record";
export { RefineColumns } from "./panels/refine";
export { RiskPanel } from "./panels/risk";
export { RulesPanel } from "./panels/rules";
export { MergeDiff } from "./parts/merge";
export { OpenStep } from "./steps/open";
export { Help } from "./parts/remedy";
export { ColumnsStep } from "./steps/columns";
export { ReleaseStep } from "./steps/release";
