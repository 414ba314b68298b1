/** The role of each column. */

import { computed, signal } from "@preact/signals";
import { post, type Role, type Roles } from "./api";
import { flushSettings, inOrder, refreshSettings } from "./settings";
import { opened, roles } from "./state";

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

/** Give several columns a role each, and name the column that tells persons apart unless it is null. */
export const markEach = (marked: [column: string, role: Role][], person: string | null): Promise<void> => {
  const next = marked.reduce((found, [column, role]) => withRole(found, column, role), roles.value);
  return send(person === null ? next : { ...next, person });
};

export const markPerson = (column: string | null): Promise<void> => send({ ...roles.value, person: column });

/** When the server has the roles that the page shows. */
export const rolesArrived = flushSettings;

async function send(next: Roles): Promise<void> {
  roles.value = next;
  await inOrder(async () => {
    await post("roles", { roles: next });
    sent.value++;
  });
  await refreshSettings();
}
