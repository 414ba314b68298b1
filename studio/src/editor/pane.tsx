/** The policy next to each step: parameters, the editor, and a summary line. */

import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import { empty, errors, isOld, problems, verdicts } from "../answers";
import { flow } from "../live";
import { BadgeMark } from "../parts/badge";
import { Stepper } from "../parts/stepper";
import { hashOf } from "../place";
import { parameterNames, parameterValues } from "../state";
import { countNoun, type Badge } from "../words";
import { format, rename, renaming, startRename } from "./commands";
import { Editor } from "./editor";
import { policyView } from "./holder";

export function EditorPane() {
  return (
    <section class="policy" aria-label="Policy editor">
      <div class="toolbar">
        <div class="parameters">
          <h2>Policy</h2>
          <Parameters />
        </div>
        <span class="buttons">
          <button type="button" class="small" aria-keyshortcuts="Shift+Alt+F" title="Shift-Alt-F" onClick={() => void format()}>
            Format
          </button>
          <button type="button" class="small" aria-keyshortcuts="F2" title="F2, with the cursor on the name" onClick={startRename}>
            Rename
          </button>
        </span>
      </div>
      {renaming.value !== null && <RenameForm at={renaming.value.at} />}
      <div class="written">
        <Editor />
        {empty.value && <Nothing />}
      </div>
      <Summary />
    </section>
  );
}

function Parameters() {
  const names = parameterNames.value ?? [];
  return (
    <>
      {names.map((name) => (
        <Stepper label={name} name={`Parameter ${name}`} value={parameterValues.value[name] ?? ""} set={(value) => setParameter(name, value)} />
      ))}
    </>
  );
}

/** What will be in the editor, and how it gets there. */
function Nothing() {
  return (
    <p class="nothing">
      The policy appears here, with the effect of each line on the right. Let the studio <a href={hashOf("rule", "search")}>find one by a search</a>, start
      from a <a href={hashOf("rule", "rules")}>published rule</a>, or type it.
    </p>
  );
}

function setParameter(name: string, value: string): void {
  parameterValues.value = { ...parameterValues.value, [name]: value };
}

const renameProblem = signal<string | null>(null);

function RenameForm({ at }: { at: number }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    renameProblem.value = null;
    input.current?.focus();
  }, [at]);
  const close = () => {
    renaming.value = null;
    policyView()?.focus();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    renameProblem.value = await rename(at, input.current?.value ?? "").catch(String);
    if (renameProblem.value === null) close();
  };
  return (
    <form class="rename row" onSubmit={(event) => void submit(event)} onKeyDown={(event) => event.key === "Escape" && close()}>
      <label for="rename">New name</label>
      <input id="rename" ref={input} autocomplete="off" aria-describedby="rename-problem" />
      <button type="submit" class="small">Rename everywhere</button>
      <button type="button" class="small quiet" onClick={close}>Cancel</button>
      <span id="rename-problem" role="status">{renameProblem.value}</span>
    </form>
  );
}

function overall(): Badge | null {
  if (empty.value) return badge("plain", "–", "empty policy");
  // the errors of an earlier text, such as an empty one, say nothing about this one
  const errorsOfRun = isOld(verdicts.answered.value) ? 0 : (verdicts.value.value?.diagnostics.length ?? 0);
  const wrong = errors.value.length || errorsOfRun;
  if (wrong > 0) return badge("bad", "✗", countNoun(wrong, "error"));
  const found = verdicts.value.value?.verdicts;
  if (!found) return null;
  if (found.checks_nothing) return badge("plain", "–", "no check in this policy");
  return found.ok ? badge("good", "✓", "no check is violated") : badge("bad", "✗", found.broken.length > 0 ? "the output violates the policy" : "a check is violated");
}

const badge = (tone: Badge["tone"], sign: string, word: string): Badge => ({ tone, sign, word, brief: word, long: word });

function Summary() {
  const found = verdicts.value.value?.verdicts;
  const shown = overall();
  const warnings = problems.value.length - errors.value.length;
  return (
    <p class={isOld(verdicts.answered.value) ? "status old" : "status"}>
      {shown !== null && <BadgeMark badge={shown} />}{" "}
      {warnings > 0 && <BadgeMark badge={badge("open", "△", countNoun(warnings, "warning"))} />}{" "}
      {found && <span>{flow(found)}</span>}
    </p>
  );
}
