import type { ComponentChildren } from "preact";
import type { Diagnostic, Range } from "../api";
import { edit, goTo } from "../editor/holder";
import { Prose } from "./prose";

/** What is wrong, in the words of the command line, each with the way to its place and its fixes. */
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
        {problem.from !== null && <ShowPlace range={{ from: problem.from, to: problem.to ?? problem.from }} />}
        {problem.fixes.map((fix) => (
          <button type="button" class="small" onClick={() => edit(fix.edits)}>
            Fix: {fix.title}
          </button>
        ))}
      </p>
    </li>
  );
}

function ShowPlace({ range }: { range: Range }) {
  return (
    <button type="button" class="small quiet" onClick={() => goTo(range.from, range.to)}>
      Show in the policy
    </button>
  );
}

type Props = { diagnostics: Diagnostic[] | undefined; failure: string | null; waiting: boolean; children: ComponentChildren };

/** The frame of an answer: what failed, what is wrong, that it is on its way, or the answer. */
export function Asked({ diagnostics, failure, waiting, children }: Props) {
  if (failure !== null) return <p class="empty">{failure}</p>;
  if (waiting) return <p class="empty">Working it out…</p>;
  return (
    <>
      <Problems problems={diagnostics ?? []} />
      {children}
    </>
  );
}
