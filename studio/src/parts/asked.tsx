import type { ComponentChildren } from "preact";
import type { Ask, Diagnostic, Range } from "../api";
import { edit, goTo } from "../editor/holder";
import { ask } from "../state";
import { plain } from "../words";
import { Prose } from "./prose";

/** Diagnostics in the words of the command line, each with a link to its place and its fixes. */
export function Problems({ problems }: { problems: Diagnostic[] }) {
  if (problems.length === 0) return null;
  return (
    <ul class="problems">
      {problems.map((problem) => (
        <Problem problem={problem} />
      ))}
    </ul>
  );
}

const SEVERITIES = { error: "✗ error", warning: "△ warning" };

function Problem({ problem }: { problem: Diagnostic }) {
  return (
    <li class={problem.severity}>
      <p>
        <span class="severity">{SEVERITIES[problem.severity]}</span> <span class="message"><Prose text={problem.message} /></span>{" "}
        <span class="code">{problem.code}</span>
      </p>
      {problem.help !== null && <p class="help"><Prose text={problem.help} /></p>}
      <p class="buttons">
        {problem.from !== null && <ShowPlace range={{ from: problem.from, to: problem.to ?? problem.from }} words="" />}
        {problem.related.map((place) => (
          <ShowPlace range={place} words={place.text} />
        ))}
        {problem.fixes.map((fix) => (
          <button type="button" class="small" onClick={() => edit(fix.edits)}>
            Fix: {plain(fix.title)}
          </button>
        ))}
      </p>
    </li>
  );
}

function ShowPlace({ range, words }: { range: Range; words: string }) {
  return (
    <button type="button" class="small quiet" onClick={() => goTo(range.from, range.to)}>
      {words === "" ? "Show in the policy" : `See: ${plain(words)}`}
    </button>
  );
}

/** An answer to a button stays when the policy changes, with a note that it is outdated. */
export function Since({ asked }: { asked: Ask | null }) {
  const now = ask.value;
  if (asked === null || (asked.text === now.text && JSON.stringify(asked.params) === JSON.stringify(now.params))) return null;
  return <p class="stale">△ The policy has changed since this answer.</p>;
}

type Props = { diagnostics: Diagnostic[] | undefined; failure: string | null; waiting: boolean; children: ComponentChildren };

/** The frame of an answer: a failure, diagnostics, a note that it is pending, or the answer. */
export function Asked({ diagnostics, failure, waiting, children }: Props) {
  if (failure !== null) return <p class="empty">{failure}</p>;
  if (waiting) return <p class="empty">Calculating…</p>;
  return (
    <>
      <Problems problems={diagnostics ?? []} />
      {children}
    </>
  );
}
