/** ARIA tabs: one tab stop, arrow keys move between tabs. The address contains the panel's name. */

import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { panel, PANELS, type PanelName } from "../state";

const hashOf = (name: PanelName) => `#${name.toLowerCase()}`;

export function choosePanelFromAddress(): void {
  panel.value = PANELS.find((name) => hashOf(name) === location.hash) ?? "Policy";
}

function choose(name: PanelName): void {
  panel.value = name;
  history.replaceState(null, "", hashOf(name));
}

function adjacentPanel(key: string): PanelName | undefined {
  const at = PANELS.indexOf(panel.peek());
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: PANELS.length - 1 }[key];
  return to === undefined ? undefined : PANELS[(to + PANELS.length) % PANELS.length];
}

export function Tabs({ panels }: { panels: Record<PanelName, ComponentType> }) {
  const list = useRef<HTMLDivElement>(null);
  const keys = (event: KeyboardEvent) => {
    const next = adjacentPanel(event.key);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  useEffect(() => {
    list.current?.querySelector(`#tab-${panel.value}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [panel.value]);
  const Shown = panels[panel.value];
  return (
    <section class="panels" aria-label="Panels">
      <div class="tabs" role="tablist" aria-label="Panels" ref={list} onKeyDown={keys}>
        {PANELS.map((name) => (
          <Tab name={name} />
        ))}
      </div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${panel.value}`} tabindex={0}>
        <Shown />
      </div>
    </section>
  );
}

function Tab({ name }: { name: PanelName }) {
  const chosen = panel.value === name;
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${name}`}
      aria-selected={chosen}
      aria-controls={chosen ? "panel" : undefined}
      tabindex={chosen ? 0 : -1}
      onClick={() => choose(name)}
    >
      {name}
    </button>
  );
}
