/** What the front page of the reports says. Saved with the policy. */

import type { FrontPage } from "../api";
import { changeFrontPage, frontPage } from "../settings";

const TEXTS: { key: keyof FrontPage; label: string; hint: string }[] = [
  { key: "purpose", label: "Purpose", hint: "what the recipients may use the table for" },
  { key: "recipients", label: "Recipients", hint: "who receives it" },
  { key: "prepared_by", label: "Prepared by", hint: "who is responsible" },
];

export function FrontPageFields() {
  return (
    <section aria-labelledby="front-title">
      <h2 id="front-title">The front page of the reports</h2>
      <p class="about">The studio saves these fields with the policy. For each empty field, a report has a line to fill in by hand.</p>
      <div class="fields">
        {TEXTS.map(({ key, label, hint }) => (
          <>
            <label for={`front-${key}`}>{label}</label>
            <input id={`front-${key}`} placeholder={hint} value={frontPage.value[key]} onInput={(event) => changeFrontPage(key, event.currentTarget.value)} />
          </>
        ))}
        <label for="front-valid_until">Valid until</label>
        <input
          id="front-valid_until"
          type="date"
          value={frontPage.value.valid_until}
          onInput={(event) => changeFrontPage("valid_until", event.currentTarget.value)}
        />
      </div>
    </section>
  );
}
