/** What the page loads on first use, as one file. */

export { RulesPanel } from "./panels/rules";
export { MergeDiff } from "./parts/merge";
