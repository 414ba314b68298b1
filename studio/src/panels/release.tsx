/** From policy to release: suggest a policy, preview the report, write the files. */

import { opened } from "../state";
import { Preview } from "./preview";
import { Suggest } from "./suggest";
import { Write } from "./write";

export function ReleasePanel() {
  return (
    <>
      {opened.value?.has_suggest ? <Suggest /> : <NoSuggest />}
      <Preview />
      <Write />
    </>
  );
}

function NoSuggest() {
  return (
    <section aria-labelledby="suggest-title">
      <h2 id="suggest-title">Suggest a policy</h2>
      <p class="about">
        The search for a policy needs numpy, which is not installed. Install <code>acompass[suggest]</code> and start the studio
        again.
      </p>
    </section>
  );
}
