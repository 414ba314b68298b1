/** Components that are loaded on first use. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Gone, type Diagnostic } from "../api";
import { contact, editedHierarchy, lostContact } from "../state";
import type { MergeProps } from "./merge";

type More = typeof import("../more");
const more = signal<More | null>(null);

const load = (): void =>
  void import("../more").then(
    (loaded) => void (more.value = loaded),
    () => lostContact(new Gone()),
  );

const LOADING = <p class="empty">Loading…</p>;

function Later({ show, until = LOADING }: { show: (loaded: More) => ComponentChildren; until?: ComponentChildren }) {
  const loaded = more.value;
  // again once a stopped studio answers again
  useEffect(() => void (loaded === null && load()), [contact.value]);
  return <>{loaded === null ? until : show(loaded)}</>;
}

export const ChangePanel = () => <Later show={(loaded) => <loaded.ChangePanel />} />;
export const RiskPanel = () => <Later show={(loaded) => <loaded.RiskPanel />} />;
export const RulesPanel = () => <Later show={(loaded) => <loaded.RulesPanel />} />;
export const Help = ({ problem }: { problem: Diagnostic }) => <Later show={(loaded) => <loaded.Help problem={problem} />} until={null} />;
export const ReleaseStep = () => <Later show={(loaded) => <loaded.ReleaseStep />} />;
export const OpenStep = () => <Later show={(loaded) => <loaded.OpenStep />} />;
export const ProofPanel = () => <Later show={(loaded) => <loaded.ProofPanel />} />;
export const RecordPanel = () => <Later show={(loaded) => <loaded.RecordPanel />} />;
export const RefineColumns = () => <Later show={(loaded) => <loaded.RefineColumns />} />;
export const ColumnsStep = () => <Later show={(loaded) => <loaded.ColumnsStep />} />;
export const MergeDiff = (props: MergeProps) => <Later show={(loaded) => <loaded.MergeDiff {...props} />} />;
/** The dialog, once a column has been chosen. */
export const HierarchyEditor = () => (editedHierarchy.value === null ? null : <Later show={(loaded) => <loaded.HierarchyEditor />} />);
