/** Versions of the policy that are kept for comparison until they are unpinned or the page is closed. */

import { signal } from "@preact/signals";
import type { Params, RiskSide } from "./api";
import { setText } from "./editor/holder";
import { announce } from "./live";
import { boundParams, parameterValues, text } from "./state";

/** `by`: the quasi-identifiers that the risk was measured by, which the policy may drop */
export type Pin = { name: string; about: string; text: string; params: Params; by: string; after: RiskSide };

export const pins = signal<Pin[]>([]);
let made = 0;

export function pin(policy: string, params: Params, by: string, after: RiskSide): void {
  const values = Object.entries(params).map(([name, value]) => `${name} = ${value}`);
  const lines = `${policy.trim().split("\n").length} lines`;
  made++;
  pins.value = [...pins.value, { name: `Pin ${made}`, about: [...values, lines].join(", "), text: policy, params, by, after }];
  announce(`Pinned as Pin ${made}`);
}

export const isNow = (pinned: Pin): boolean =>
  pinned.text === text.value && JSON.stringify(pinned.params) === JSON.stringify(boundParams.value);

export function unpin(pinned: Pin): void {
  pins.value = pins.value.filter((each) => each !== pinned);
}

export function restore(pinned: Pin): void {
  parameterValues.value = { ...parameterValues.value, ...pinned.params };
  setText(pinned.text);
  announce(`${pinned.name} restored`);
}
