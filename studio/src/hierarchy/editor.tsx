/** The hierarchy of a column: bands, prefixes, dates, groups or a file; what the groups hold; the policy's line. Loaded on first use. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { steady } from "../answer";
import { post, Refused, type GroupedColumn, type GroupPreview, type SomeValues } from "../api";
import { edit } from "../editor/holder";
import { announce } from "../live";
import { Problems } from "../parts/asked";
import { ShareBar } from "../parts/bar";
import { Prose } from "../parts/prose";
import { DataTable, Num } from "../parts/table";
import { NotWritten, type NotReleased } from "../panels/write";
import { closeHierarchy } from "../place";
import { changeLevels } from "../settings";
import { ask, editedHierarchy, epoch, lostContact, roles } from "../state";
import { count, countNoun, share } from "../words";
import { BoundaryFields, CutHistogram, WidthFields } from "./bands";
import {
  canRedo,
  canUndo,
  change,
  column,
  columnAnswer,
  current,
  done,
  draft,
  finish,
  isEmpty,
  isRestored,
  levelsOf,
  line,
  loaded,
  loadGroups,
  modesOf,
  preview,
  problems,
  problemsIn,
  redo,
  specOf,
  startAgain,
  undo,
  UNITS,
  type Draft,
  type Mode,
} from "./draft";
import { beginTree, Tree } from "./tree";

const TITLES: Record<Mode, string> = {
  bands: "Bands of one width",
  at: "Boundaries",
  prefix: "Prefixes",
  dates: "Dates",
  groups: "Groups by hand",
  file: "Hierarchy file",
};
/** an answer that takes long; what is shown until then is for the choice before */
const slow = steady(preview.busy);
const LARGEST_FILE = 16 << 20;
const refused = signal<NotReleased | null>(null);
/** what a click on Replace repeats */
const again = signal<() => void>(() => undefined);
const savedAs = signal<string | null>(null);

export function HierarchyEditor() {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = editedHierarchy.value;
  useEffect(() => {
    if (name === null) return;
    const before = document.activeElement;
    beginTree();
    problems.value = [];
    loaded.value = refused.value = savedAs.value = null;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [name]);
  if (name === null) return null;
  return (
    <dialog class="hierarchy" ref={dialog} aria-labelledby="hierarchy-title" onClose={closeHierarchy} onKeyDown={onKey}>
      <header class="row">
        <h2 id="hierarchy-title">Hierarchy of {name}</h2>
        <span class="buttons">
          <button type="button" class="small" aria-disabled={!canUndo.value} onClick={undo}>Undo</button>
          <button type="button" class="small" aria-disabled={!canRedo.value} onClick={redo}>Redo</button>
          <button type="button" class="small" onClick={closeHierarchy}>Close</button>
        </span>
      </header>
      <Content />
      <div class="hidden" role="status">{done.value}</div>
    </dialog>
  );
}

function onKey(event: KeyboardEvent): void {
  const isText = event.target instanceof HTMLInputElement && event.target.type !== "checkbox" && event.target.type !== "radio";
  if (isText || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) redo();
  else undo();
}

function Content() {
  const found = column.value;
  const own = draft.value;
  if (columnAnswer.failure.value !== null) return <p class="empty">{columnAnswer.failure.value}</p>;
  if (found === null || own === null) {
    const wrong = columnAnswer.value.value?.diagnostics ?? [];
    return wrong.length > 0 ? <Problems problems={wrong} /> : <p class="empty">Calculating…</p>;
  }
  return (
    <>
      <p class="about">
        {countNoun(found.distinct, "value")} in {countNoun(found.records, "record")}
        {found.missing > 0 && `; ${countNoun(found.missing, "record")} without a value`}
      </p>
      {isRestored.value && (
        <p class="banner acted row">
          <span>These are your changes from before the editor was closed. They are not used yet.</span>
          <button type="button" class="small" onClick={startAgain}>Start again</button>
        </p>
      )}
      <Modes found={own} column={found} />
      <div class="parts">
        <div>
          <Fields found={own} column={found} />
          <FileProblems />
        </div>
        <Preview column={found} found={own} />
      </div>
      <Footer found={own} column={found} />
    </>
  );
}

function Modes({ found, column }: { found: Draft; column: GroupedColumn }) {
  return (
    <fieldset class="row modes">
      <legend class="hidden">How the values are grouped</legend>
      {modesOf(column).map((mode) => (
        <label class="switch">
          <input type="radio" name="grouping" checked={found.mode === mode} onChange={() => change({ mode, level: 1 })} /> {TITLES[mode]}
        </label>
      ))}
    </fieldset>
  );
}

function Fields({ found, column: of }: { found: Draft; column: GroupedColumn }) {
  return (
    <>
      {(found.mode === "bands" || found.mode === "at") && <CutHistogram found={found} column={of} />}
      {found.mode === "bands" && <WidthFields found={found} />}
      {found.mode === "at" && <BoundaryFields found={found} column={of} />}
      {found.mode === "prefix" && <PrefixFields found={found} />}
      {found.mode === "dates" && <DateFields found={found} />}
      {found.mode === "groups" && <Tree found={found} column={of} />}
      {found.mode === "file" && <p class="about">The policy uses this file unchanged. Load it to edit its groups.</p>}
      {(found.mode === "groups" || found.mode === "file") && <FileFields found={found} column={of} />}
      <LevelChoice found={found} />
    </>
  );
}

function PrefixFields({ found }: { found: Draft }) {
  return (
    <div class="fields">
      <label for="prefix-lengths">Characters kept, from many to few</label>
      <input id="prefix-lengths" value={found.lengths} placeholder="4, 3, 2" onInput={(event) => change({ lengths: event.currentTarget.value }, "lengths")} />
    </div>
  );
}

function DateFields({ found }: { found: Draft }) {
  const toggle = (unit: string, on: boolean) => change({ units: on ? [...found.units, unit] : found.units.filter((each) => each !== unit), level: 1 });
  return (
    <fieldset class="row">
      <legend>Levels</legend>
      {UNITS.map((unit) => (
        <label class="switch">
          <input type="checkbox" checked={found.units.includes(unit)} onChange={(event) => toggle(unit, event.currentTarget.checked)} /> {unit.toLowerCase()}
        </label>
      ))}
    </fieldset>
  );
}

function FileFields({ found, column: { files } }: { found: Draft; column: GroupedColumn }) {
  const upload = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > LARGEST_FILE) return void (problems.value = [{ lines: [], message: "a file of more than 16 MB is not loaded; copy it to the policy's folder" }]);
    await loadGroups({ content: file, name: file.name });
  };
  return (
    <div class="fields">
      <label for="hierarchy-file">File in the policy's folder</label>
      <span class="row">
        <input id="hierarchy-file" list="hierarchy-files" value={found.file} onInput={(event) => change({ file: event.currentTarget.value }, "file")} />
        <button type="button" class="small" onClick={() => void loadGroups({ file: found.file })}>Load</button>
      </span>
      <datalist id="hierarchy-files">
        {files.map((file) => (
          <option value={file} />
        ))}
      </datalist>
      <label for="hierarchy-upload">Or load another file</label>
      <input id="hierarchy-upload" type="file" accept=".csv,text/csv" onChange={(event) => void upload(event.currentTarget.files?.[0])} />
      <label for="hierarchy-else">Values without a group</label>
      <span class="row">
        <select id="hierarchy-else" value={found.otherwise === null ? "" : "else"} onChange={(event) => change({ otherwise: event.currentTarget.value === "" ? null : "*" })}>
          <option value="">are not allowed</option>
          <option value="else">become</option>
        </select>
        {found.otherwise !== null && (
          <input class="short" aria-label="Label of values without a group" value={found.otherwise} onInput={(event) => change({ otherwise: event.currentTarget.value }, "otherwise")} />
        )}
      </span>
    </div>
  );
}

function FileProblems() {
  const found = loaded.value;
  return (
    <div role="status">
      {problems.value.length > 0 && (
        <ul class="problems">
          {problems.value.map(({ lines, message }) => (
            <li class="error">
              {lines.length > 0 && `Line${lines.length > 1 ? "s" : ""} ${lines.join(" and ")}: `}
              <Prose text={message} />
            </li>
          ))}
        </ul>
      )}
      {found !== null && found.problems.length === 0 && (
        <p class="about">
          The file has {countNoun(found.values ?? 0, "value")} and {countNoun(found.levels ?? 0, "level")}
          {found.encoding != null && `, read as ${found.encoding}`};{" "}
          {found.uncovered?.values === 0 ? "it covers every value of the column" : `it lacks ${countNoun(found.uncovered?.values ?? 0, "value")} of the column`}
          {(found.unused ?? 0) > 0 && `; ${countNoun(found.unused ?? 0, "value")} of the file do not occur in the column`}.
        </p>
      )}
    </div>
  );
}

function LevelChoice({ found }: { found: Draft }) {
  const levels = found.mode === "file" ? (preview.value.value?.preview?.levels.length ?? found.level) : levelsOf(found);
  if (levels < 2) return null;
  return (
    <p>
      <label>
        Level that the policy uses:{" "}
        <select value={String(Math.min(found.level, levels))} onChange={(event) => change({ level: Number(event.currentTarget.value) })}>
          {Array.from({ length: levels }, (_, at) => (
            <option value={String(at + 1)}>{at + 1}</option>
          ))}
        </select>
      </label>
    </p>
  );
}

function Preview({ column: of, found }: { column: GroupedColumn; found: Draft }) {
  const shown = preview.answered.value?.column === of.column ? preview.value.value : null;
  return (
    <section aria-labelledby="held-title" aria-busy={preview.busy.value} class={slow.value ? "dim" : ""}>
      <h3 id="held-title">What each group holds</h3>
      {preview.failure.value !== null && <p class="empty">{preview.failure.value}</p>}
      {isEmpty(found) ? <p class="about">Select values and merge them into a group.</p> : shown !== null && <Problems problems={shown.diagnostics} />}
      {shown?.preview && <Held preview={shown.preview} column={of} found={found} />}
    </section>
  );
}

function Held({ preview: shown, column: of, found }: { preview: GroupPreview; column: GroupedColumn; found: Draft }) {
  return (
    <>
      <p>
        <strong>{countNoun(shown.count, "group")}</strong>
        {shown.smallest !== null && `; the smallest has ${countNoun(shown.smallest, "record")}`}
        {shown.single > 0 && `; ${countNoun(shown.single, "group")} of a single record`}.
      </p>
      {shown.levels.length > 1 && <LevelTable preview={shown} />}
      <Uncovered found={shown.uncovered} words="without a group" choosable={found.mode === "groups" || found.mode === "file"} />
      <Uncovered found={shown.others} words={`not in the file become ${found.otherwise ?? "*"}`} choosable={false} />
      {shown.notes.map((note) => (
        <p class="stale">△ {note}.</p>
      ))}
      {shown.groups === null ? <p class="empty">Turn on “Show values” to see the groups.</p> : <GroupTable preview={shown} records={of.records} />}
    </>
  );
}

function LevelTable({ preview: { levels } }: { preview: GroupPreview }) {
  return (
    <DataTable caption="Levels" quiet head={["Level", { title: "Groups", number: true }, { title: "Smallest", number: true }]}>
      {levels.map(({ groups, smallest }, at) => (
        <tr>
          <th scope="row">Level {at + 1}</th>
          <Num>{count(groups)}</Num>
          <Num>{smallest === null ? "none" : count(smallest)}</Num>
        </tr>
      ))}
    </DataTable>
  );
}

function Uncovered({ found, words, choosable }: { found: SomeValues; words: string; choosable: boolean }) {
  if (found.values === 0) return null;
  const texts = found.texts?.slice(0, 20).map((text) => (text === "" ? "(empty)" : text)) ?? [];
  return (
    <p class="stale">
      △ {countNoun(found.values, "value")} ({countNoun(found.records, "record")}) {words}
      {texts.length > 0 && `: ${texts.join(", ")}${found.values > texts.length ? ", …" : ""}`}.
      {choosable && " Group them, or choose above what values without a group become."}
    </p>
  );
}

function GroupTable({ preview: { groups, count: all }, records }: { preview: GroupPreview; records: number }) {
  const shown = groups ?? [];
  return (
    <DataTable caption={shown.length < all ? `The first ${count(shown.length)} of ${countNoun(all, "group")}` : "Groups"} quiet={shown.length === all} head={["Group", { title: "Values", number: true }, { title: "Records", number: true }, "Share"]}>
      {shown.map((group) => (
        <tr>
          <th scope="row">{group.label === "" ? "(empty)" : group.label}</th>
          <Num>{count(group.values)}</Num>
          <Num>{count(group.records)}</Num>
          <td class="share">
            {share(group.records / Math.max(records, 1))} <ShareBar part={group.records / Math.max(records, 1)} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Footer({ found, column: of }: { found: Draft; column: GroupedColumn }) {
  const shown = current.value;
  const noSearch = shown === null ? null : whyNotSearched(shown, of);
  const isSearched = roles.value.quasi_identifiers.includes(of.column);
  return (
    <footer>
      {of.lines.length > 0 && <LineChoice column={of} />}
      {shown !== null && <pre>{shown.line}</pre>}
      <div class="row">
        <button type="button" class="primary" disabled={shown?.edits == null} onClick={() => void use(found)}>Use in the policy</button>
        <button type="button" disabled={shown === null || noSearch !== null} onClick={() => void search(found, false)}>Use in the search</button>
        {found.mode !== "file" && of.values !== null && (
          <SaveForm found={found}>Save all levels as</SaveForm>
        )}
      </div>
      <p class="about">
        <em>Use in the policy</em> writes this line, which has one level. <em>Use in the search</em> saves all levels of {of.column} in the project
        and leaves the policy unchanged; {isSearched ? "the next search chooses among them" : "a search chooses among them once the column is a quasi-identifier"}.
        {noSearch === null ? shown !== null && shown.search === null && ` They are saved in ${found.file}, in the policy's folder.` : ` ${noSearch}`}
      </p>
      <div role="status">
        {refused.value !== null && <NotWritten refused={refused.value} replace={again.value} />}
        {savedAs.value !== null && <p><span class="mark good">✓ saved</span> {savedAs.value}, in the policy's folder</p>}
      </div>
    </footer>
  );
}

/** A search needs a label for every value, and a file where the settings have no words for the levels. */
function whyNotSearched({ uncovered, others, search }: GroupPreview, { values }: GroupedColumn): string | null {
  const left = uncovered.values + others.values;
  if (left > 0) return `A search needs a group for every value, and ${countNoun(left, "value")} ${left === 1 ? "has" : "have"} none.`;
  return search === null && values === null ? "A search needs these levels as a file, which the studio writes from the values that the page shows." : null;
}

function LineChoice({ column: { lines } }: { column: GroupedColumn }) {
  return (
    <p>
      <label>
        Line of the policy:{" "}
        <select value={line.value === null ? "" : String(line.value)} onChange={(event) => void (line.value = event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}>
          {lines.map((each, at) => (
            <option value={String(at)}>
              line {each.line}: {each.text}
            </option>
          ))}
          {lines.every((each) => !each.always) && <option value="">a new line, for every record</option>}
        </select>
      </label>
    </p>
  );
}

function SaveForm({ found, children }: { found: Draft; children: ComponentChildren }) {
  const submit = (event: Event) => {
    event.preventDefault();
    void save(found, false);
  };
  return (
    <form class="row" onSubmit={submit}>
      <label>
        {children}{" "}
        <input value={found.file} onInput={(event) => change({ file: event.currentTarget.value }, "file")} />
      </label>
      <button type="submit">Save</button>
    </form>
  );
}

/** The levels of the file that has been written; if it is not, the dialog says why, and `repeat` replaces a file that exists. */
async function save(found: Draft, replace: boolean, repeat: () => void = () => void save(found, true)): Promise<string | null> {
  const name = editedHierarchy.peek();
  refused.value = savedAs.value = null;
  again.value = repeat;
  if (name === null) return null;
  try {
    const answer = await post("hierarchy/save", { ...ask.peek(), column: name, spec: specOf(found), file: found.file, replace });
    problems.value = problemsIn(answer.diagnostics);
    savedAs.value = answer.saved?.file ?? null;
    if (answer.saved !== null) epoch.value++;
    return answer.saved?.search ?? null;
  } catch (error) {
    lostContact(error);
    if (error instanceof Refused) refused.value = { message: error.message, exists: error.exists !== null };
    return null;
  }
}

/** Groups by hand need their file first. */
async function use(found: Draft, replace = false): Promise<void> {
  const shown = current.peek();
  if (shown?.edits == null) return;
  if (found.mode === "groups" && (await save(found, replace, () => void use(found, true))) === null) return;
  finish();
  closeHierarchy();
  edit(shown.edits);
  announce(`The policy has ${shown.line}`);
}

/** All levels, for the searches of this project. */
async function search(found: Draft, replace: boolean): Promise<void> {
  const name = editedHierarchy.peek();
  const shown = current.peek();
  if (name === null || shown === null) return;
  const levels = shown.search ?? (await save(found, replace, () => void search(found, true)));
  if (levels === null) return;
  finish();
  closeHierarchy();
  await changeLevels(name, levels);
  announce(`The search uses the levels of ${name} that you chose`);
}
