/** The role of each column. Roles live as long as the server; only the policy is saved to disk. */

import { computed, signal } from "@preact/signals";
import { post, type Role, type Roles } from "./api";
import { lostContact, opened, roles } from "./state";

type Assigned = Exclude<Role, "none">;

const KEYS: Record<Assigned, Exclude<keyof Roles, "person">> = {
  identifier: "identifiers",
  "quasi-identifier": "quasi_identifiers",
  sensitive: "sensitive",
  other: "other",
};
const ASSIGNED = Object.keys(KEYS) as Assigned[];
export const ROLES: Role[] = ["none", ...ASSIGNED];

export const roleOf = (column: string): Role => ASSIGNED.find((role) => roles.value[KEYS[role]].includes(column)) ?? "none";

/** the columns without a role, once some column has one: a run refuses to release them */
export const undecided = computed<string[]>(() => {
  const columns = opened.value?.table.columns ?? [];
  const open = columns.filter((column) => roleOf(column) === "none");
  return open.length === columns.length ? [] : open;
});

function withRole(old: Roles, column: string, role: Role): Roles {
  const next = { ...old };
  for (const key of Object.values(KEYS)) next[key] = old[key].filter((name) => name !== column);
  if (role !== "none") next[KEYS[role]] = [...next[KEYS[role]], column];
  return next;
}

/** how many times roles were sent to the server: answers for older roles would be wrong */
export const sent = signal(0);

export const markRole = (columns: string[], role: Role): Promise<void> =>
  send(columns.reduce((found, column) => withRole(found, column, role), roles.value));

export const markPerson = (column: string | null): Promise<void> => send({ ...roles.value, person: column });

/** the last roles on their way: requests that are answered at the same time may arrive in any order */
let sending: Promise<void> = Promise.resolve();

/** When the server has the roles that the page shows. */
export const rolesArrived = (): Promise<void> => sending;

function send(next: Roles): Promise<void> {
  roles.value = next;
  return (sending = sending.then(async () => {
    try {
      await post("roles", { roles: next });
      sent.value++;
    } catch (error) {
      lostContact(error);
    }
  }));
}
