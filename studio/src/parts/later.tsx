/** Components that are loaded on first use. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Gone } from "../api";
import { contact, lostContact } from "../state";
import type { MergeProps } from "./merge";

type More = typeof import("../more");
const more = signal<More | null>(null);

const load = (): void =>
  void import("../more").then(
    (loaded) => void (more.value = loaded),
    () => lostContact(new Gone()),
  );

function Later({ show }: { show: (loaded: More) => ComponentChildren }) {
  const loaded = more.value;
  // again once a stopped studio answers again
  useEffect(() => void (loaded === null && load()), [contact.value]);
  return <>{loaded === null ? <p class="empty">Loading…</p> : show(loaded)}</>;
}

export const RulesPanel = () => <Later show={(loaded) => <loaded.RulesPanel />} />;
export const MergeDiff = (props: MergeProps) => <Later show={(loaded) => <loaded.MergeDiff {...props} />} />;
