/** The last step: what is promised, the report, and the files. */

import { FrontPageFields } from "../panels/front_page";
import { Preview } from "../panels/preview";
import { Promises } from "../panels/promises";
import { Write } from "../panels/write";

export function ReleaseStep() {
  return (
    <>
      <Promises />
      <FrontPageFields />
      <Preview />
      <Write />
    </>
  );
}
