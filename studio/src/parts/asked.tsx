import type { ComponentChildren } from "preact";
import { isOld } from "../answers";
import type { Ask, Diagnostic, Range } from "../api";
import { edit, goTo } from "../editor/holder";
import { plain } from "../words";
import { Help } from "./later";
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
      <Help problem={problem} />
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
export function Since({ asked, what = "this answer" }: { asked: Ask | null; what?: string }) {
  if (!isOld(asked)) return null;
  return <p class="stale">△ The policy or its settings have changed since {what}.</p>;
}

type Props = {
  diagnostics: Diagnostic[] | undefined;
  failure: string | null;
  waiting: boolean;
  /** the question that the answer belongs to, if it is about a policy */
  about?: Ask | null;
  children: ComponentChildren;
};

/** The frame of an answer: a failure, diagnostics, a note that it is pending, or the answer, dimmed if it is about an older text. */
export function Asked({ diagnostics, failure, waiting, about = null, children }: Props) {
  if (failure !== null) return <p class="empty">{failure}</p>;
  if (waiting) return <p class="empty">Calculating…</p>;
  return (
    <div class={isOld(about) ? "answer old" : "answer"}>
      <Problems problems={diagnostics ?? []} />
      {children}
    </div>
  );
}
