/** What the user must know before continuing: no server, a file changed by another program. */

import { keepMine, loadTheirs } from "../files";
import { contact, notice, opened, text, theirs } from "../state";
import { MergeDiff } from "./later";

export function Banners() {
  return (
    <div class="banners">
      {contact.value === "gone" && <Gone />}
      {contact.value === "locked out" && <LockedOut />}
      {theirs.value !== null && <Changed />}
      {notice.value !== null && <Notice sentence={notice.value} />}
    </div>
  );
}

function Gone() {
  return (
    <div class="banner bad" role="alert">
      <strong>The studio is not responding.</strong> Your text is still here. Start <code>acompass studio</code> again to save
      it, or copy it from the editor. If the program was only busy, the page reconnects automatically.
    </div>
  );
}

function LockedOut() {
  return (
    <div class="banner bad" role="alert">
      <strong>This page belongs to an earlier run of the studio.</strong> Copy unsaved text from the editor, then open the address
      that <code>acompass studio</code> printed.
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
