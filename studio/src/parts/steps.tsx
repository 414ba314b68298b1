/** The way from a table to its release: a link for each step. */

import { empty, errors } from "../answers";
import { hashOf, place, STEP_NAMES, STEPS, type StepName } from "../place";
import { roleOf } from "../roles";
import { opened } from "../state";

export function Steps() {
  return (
    <nav class="steps" aria-label="Steps">
      <ol>
        {STEP_NAMES.map((step) => (
          <li>
            <StepLink step={step} />
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Without a table there is only the first step. */
function StepLink({ step }: { step: StepName }) {
  const isHere = place.value.step === step;
  if (opened.value === null && step !== "open") return <span class="later"><span class="word">{STEPS[step]}</span></span>;
  return (
    <a href={hashOf(step)} {...(isHere ? { "aria-current": "step" as const } : {})}>
      <span class="word">{STEPS[step]}</span>
    </a>
  );
}

/** There is a policy, and it can run. */
const isSound = (): boolean => !empty.value && errors.value.length === 0;

/** `ready`: the step is done, as far as the page can tell */
type Next = { step: StepName; words: string; ready: () => boolean };

/** A table is opened in the first step, and files are written in the last: both have their own button. */
const NEXT: Partial<Record<StepName, Next>> = {
  columns: {
    step: "rule",
    words: "Go on to rule or search",
    ready: () => (opened.value?.table.columns ?? []).every((column) => roleOf(column) !== "none"),
  },
  rule: { step: "refine", words: "Go on to refine", ready: isSound },
  refine: { step: "release", words: "Go on to the release", ready: isSound },
};

/** The link below a step to the one after it. */
export function NextStep() {
  const next = opened.value === null ? undefined : NEXT[place.value.step];
  if (next === undefined || (place.value.step === "rule" && empty.value)) return null;
  return (
    <p class="next">
      <a class={next.ready() ? "button primary" : "button"} href={hashOf(next.step)}>
        {next.words}
      </a>
    </p>
  );
}
