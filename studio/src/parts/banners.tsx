/** What the user must know before continuing: no server, a file changed by another program. */

import { found, takeDraft } from "../drafts";
import { keepMine, loadTheirs, open, restoreDraft } from "../files";
import { chooseSettings } from "../settings";
import { contact, dirty, notice, opened, settingsDiffer, settingsProblem, text, theirs } from "../state";
import { MergeDiff } from "./later";
import { Prose } from "./prose";

export function Banners() {
  return (
    <div class="banners">
      {contact.value === "gone" && <Gone />}
      {contact.value === "locked out" && <LockedOut />}
      {contact.value === "other" && <OtherProject />}
      {contact.value === "closed" && <Closed />}
      {found.value !== null && <Draft at={found.value.at} />}
      {theirs.value !== null && <Changed />}
      {settingsProblem.value !== null ? <Unreadable problem={settingsProblem.value} /> : settingsDiffer.value && <SettingsChanged />}
      {notice.value !== null && <Notice sentence={notice.value} />}
    </div>
  );
}

function Gone() {
  return (
    <div class="banner bad" role="alert">
      <strong>The studio is not responding.</strong> Your text and settings are still here. Start the studio again as before, and open this
      table: this page then reconnects, and nothing is lost. If the program was only busy, it reconnects by itself.
    </div>
  );
}

function LockedOut() {
  return (
    <div class="banner bad" role="alert">
      <strong>This page belongs to an earlier run of the studio.</strong> Once the new run&rsquo;s page, or the address that it
      printed, is open in this browser, this page continues with its unsaved text and settings.
    </div>
  );
}

function Closed() {
  return (
    <div class="banner open row" role="alert">
      <span>
        <strong>The studio has no table open.</strong> Open <code>{opened.value?.policy.name}</code> with its table in another page: this page then
        continues with its unsaved text and settings.
      </span>
      <button type="button" onClick={() => void open()}>
        Go to the start
      </button>
    </div>
  );
}

function OtherProject() {
  return (
    <div class="banner open row" role="alert">
      <span>
        <strong>Another page has opened another table.</strong>{" "}
        {dirty.value && "Unsaved changes of this page are kept in this browser, and offered when its table is opened again."}
      </span>
      <button type="button" onClick={() => void open()}>
        Go to that table
      </button>
    </div>
  );
}

function Draft({ at }: { at: number }) {
  return (
    <div class="banner open row" role="alert">
      <span>
        <strong>A page on these files was closed with unsaved changes,</strong> at {new Date(at).toLocaleString()}.
      </span>
      <span class="buttons">
        <button type="button" onClick={() => void restoreDraft()}>
          Restore them
        </button>
        <button type="button" onClick={takeDraft}>
          Discard them
        </button>
      </span>
    </div>
  );
}

function Unreadable({ problem }: { problem: string }) {
  return (
    <div class="banner bad" role="alert">
      <strong>A file of this project was changed outside the studio and cannot be read:</strong> <Prose text={problem} />. Nothing was
      overwritten, and nothing is saved until the file is corrected. Your text and settings are still here.
    </div>
  );
}

function SettingsChanged() {
  return (
    <div class="banner open row" role="alert">
      <span>
        <strong>acompass.toml was changed outside the studio,</strong> and these settings are not saved. Nothing was overwritten.
      </span>
      <span class="buttons">
        <button type="button" onClick={() => void chooseSettings(true)}>
          Load their settings
        </button>
        <button type="button" onClick={() => void chooseSettings(false)}>
          Keep my settings
        </button>
      </span>
    </div>
  );
}

function Changed() {
  return (
    <div class="banner open" role="alert">
      <p>
        <strong>{opened.value?.policy.name} was changed outside the studio,</strong> and this page has unsaved changes. Nothing was overwritten.
      </p>
      <p class="buttons">
        <button type="button" onClick={loadTheirs}>
          Load theirs
        </button>
        <button type="button" onClick={keepMine}>
          Keep mine
        </button>
      </p>
      <details>
        <summary>Show differences</summary>
        <MergeDiff label="Their text compared with mine" mine={text.value} other={theirs.value?.text ?? ""} />
      </details>
    </div>
  );
}

function Notice({ sentence }: { sentence: string }) {
  return (
    <div class="banner open row" role="status">
      <span>{sentence}</span>
      <button type="button" class="small" onClick={() => void (notice.value = null)}>
        Dismiss
      </button>
    </div>
  );
}
