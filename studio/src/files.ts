/** Open and save the file, and notice changes by other programs. Unseen changes are never overwritten. */

import { batch } from "@preact/signals";
import { post, Refused, type Opened } from "./api";
import { setText } from "./editor/holder";
import { announce } from "./live";
import {
  contact,
  dirty,
  epoch,
  file,
  lostContact,
  notice,
  opened,
  parameterValues,
  roles,
  sample,
  showRecords,
  text,
  theirs,
} from "./state";

const EVERY = 1000;

export async function open(): Promise<void> {
  const answer = await post("open", {});
  const { policy } = answer;
  batch(() => {
    text.value = policy.text;
    file.value = { text: policy.text, version: policy.version, exists: policy.exists };
    parameterValues.value = answer.params;
    roles.value = answer.roles;
    showOpened(answer);
  });
}

function showOpened(answer: Opened): void {
  opened.value = answer;
  sample.value = answer.sample;
  showRecords.value = answer.show_records;
}

export async function save(): Promise<boolean> {
  const mine = text.peek();
  try {
    const { version } = await post("save", { text: mine, seen: file.peek().version });
    file.value = { text: mine, version, exists: true };
    announce("Saved");
    return true;
  } catch (error) {
    lostContact(error);
    if (error instanceof Refused && error.status === 409) await handleOtherVersion();
    else if (error instanceof Refused) notice.value = `Not saved: ${error.message}`;
    return false;
  }
}

/** Another program or tab wrote the file. A page without unsaved changes reloads it; otherwise the user chooses. */
async function handleOtherVersion(): Promise<void> {
  const found = await post("policy", {});
  if (found.version === file.peek().version) return;
  if (dirty.peek() && found.text !== text.peek()) theirs.value = found;
  else follow(found);
}

function follow(found: { text: string; version: string }): void {
  const differs = found.text !== text.peek();
  batch(() => {
    file.value = { ...found, exists: true };
    theirs.value = null;
    setText(found.text);
    if (differs) notice.value = `${opened.peek()?.policy.name ?? "The policy"} was changed outside the studio and has been reloaded. Undo restores the previous text.`;
  });
}

export function loadTheirs(): void {
  if (theirs.value !== null) follow(theirs.value);
}

/** The next save overwrites their version, which the user has seen. */
export function keepMine(): void {
  if (theirs.value === null) return;
  file.value = { ...theirs.value, exists: true };
  theirs.value = null;
}

export function watchFile(): void {
  window.setTimeout(async () => {
    await checkFile().catch(lostContact);
    watchFile();
  }, EVERY);
}

async function checkFile(): Promise<void> {
  const { version, show_records } = await post("state", {});
  if (contact.value === "gone") epoch.value++;
  contact.value = "fine";
  showRecords.value = show_records;
  if (version !== (theirs.peek() ?? file.peek()).version) await handleOtherVersion();
}

export async function dropIncomplete(drop: boolean): Promise<void> {
  const answer = await post("missing", { drop });
  batch(() => {
    showOpened(answer);
    epoch.value++;
  });
}

export async function useAllRecords(): Promise<void> {
  const answer = await post("all", { on: true });
  batch(() => {
    sample.value = answer.sample;
    epoch.value++;
  });
}
