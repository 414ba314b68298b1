import type { ComponentChildren } from "preact";
import { hashOf, hierarchyHash, openHierarchy, PANELS, STEPS, type StepName, type StepWithPanels } from "../place";

/** A link to a step or to a sub-tab of it. */
export function PlaceLink({ step, panel = "" }: { step: StepName; panel?: string }) {
  const titles: Record<string, string> = step in PANELS ? PANELS[step as StepWithPanels] : {};
  return <a href={hashOf(step, panel)}>{panel === "" ? STEPS[step] : `${STEPS[step]}: ${titles[panel] ?? panel}`}</a>;
}

/** A link that opens the hierarchy editor. */
export function HierarchyLink({ column, children }: { column: string; children: ComponentChildren }) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openHierarchy(column);
  };
  return (
    <a href={hierarchyHash(column)} onClick={follow}>
      {children}
    </a>
  );
}
