/** The role of each column. Roles live as long as the server; only the policy is saved to disk. */

import { signal } from "@preact/signals";
import { post, type Role, type Roles } from "./api";
import { lostContact, roles } from "./state";

export const ROLES: Role[] = ["other", "identifier", "quasi-identifier", "sensitive"];

const KEYS: Record<Exclude<Role, "other">, keyof Roles> = {
  identifier: "identifiers",
  "quasi-identifier": "quasi_identifiers",
  sensitive: "sensitive",
};

export function roleOf(column: string): Role {
  const { identifiers, quasi_identifiers, sensitive } = roles.value;
  if (identifiers.includes(column)) return "identifier";
  if (quasi_identifiers.includes(column)) return "quasi-identifier";
  return sensitive.includes(column) ? "sensitive" : "other";
}

export function withRole(old: Roles, column: string, role: Role): Roles {
  const without = (names: string[]) => names.filter((name) => name !== column);
  const next: Roles = {
    identifiers: without(old.identifiers),
    quasi_identifiers: without(old.quasi_identifiers),
    sensitive: without(old.sensitive),
  };
  if (role !== "other") next[KEYS[role]].push(column);
  return next;
}

/** how many times roles were sent to the server: templates for older roles would be wrong */
export const sent = signal(0);

export async function markRole(column: string, role: Role): Promise<void> {
  roles.value = withRole(roles.value, column, role);
  try {
    await post("roles", { roles: roles.value });
    sent.value++;
  } catch (error) {
    lostContact(error);
  }
}
