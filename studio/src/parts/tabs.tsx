/** ARIA tabs within a step: one tab stop, arrow keys move between tabs. The address contains the tab's name. */

import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { go, PANELS, place, STEPS, type PanelName, type StepWithPanels } from "../place";

function adjacent(names: string[], key: string): string | undefined {
  const at = names.indexOf(place.peek().panel);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: names.length - 1 }[key];
  return to === undefined ? undefined : names[(to + names.length) % names.length];
}

export function Tabs<S extends StepWithPanels>({ step, panels }: { step: S; panels: Record<PanelName<S>, ComponentType> }) {
  const list = useRef<HTMLDivElement>(null);
  const titles: Record<string, string> = PANELS[step];
  const names = Object.keys(titles);
  const shown = place.value.panel;
  const keys = (event: KeyboardEvent) => {
    const next = adjacent(names, event.key);
    if (next === undefined) return;
    event.preventDefault();
    go(step, next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  useEffect(() => {
    list.current?.querySelector(`#tab-${shown}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shown]);
  const Shown = (panels as Record<string, ComponentType>)[shown];
  return (
    <>
      <div class="tabs" role="tablist" aria-label={STEPS[step]} ref={list} onKeyDown={keys}>
        {names.map((name) => (
          <Tab step={step} name={name} title={titles[name] ?? name} />
        ))}
      </div>
      <div class="panel" role="tabpanel" id="panel" key={shown} aria-labelledby={`tab-${shown}`} tabindex={0}>
        {Shown !== undefined && <Shown />}
      </div>
    </>
  );
}

function Tab({ step, name, title }: { step: StepWithPanels; name: string; title: string }) {
  const chosen = place.value.panel === name;
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${name}`}
      aria-selected={chosen}
      aria-controls={chosen ? "panel" : undefined}
      tabindex={chosen ? 0 : -1}
      onClick={() => go(step, name)}
    >
      {title}
    </button>
  );
}
