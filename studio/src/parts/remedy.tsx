/** For each error that an option solves, the control for it, in place of help that names a flag. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Diagnostic } from "../api";
import { changeReading, currentReading, draft, openDraft } from "../opening";
import { opened, parameterValues } from "../state";
import { DatesChoice, HeaderChoice, MissingChoice, OptionChoice } from "./choices";
import { PlaceLink } from "./place_link";
import { Prose } from "./prose";

type Control = (about: { problem: Diagnostic; column: string | null }) => ComponentChildren;
/** `control`: what solves the error here. `reason`: why no control of the page could */
export type Remedy = { words: string; control: Control } | { reason: string };

const columns = (): string[] => [...(opened.value?.table.columns ?? []), ...Object.keys(currentReading().dates ?? {}), ...Object.keys(currentReading().missing ?? {})];

/** the column that a message is about: it is the first one that the message names */
export function columnIn(message: string): string | null {
  const found = columns().filter((name) => message.includes(`column \`${name}\``) || message.includes(`names \`${name}\``));
  return found.sort((one, other) => other.length - one.length)[0] ?? null;
}

const eachMissing: Control = ({ column }) =>
  column === null ? <PlaceLink step="open" /> : <MissingChoice name={column} />;
const dates: Control = ({ column }) => (column === null ? <PlaceLink step="open" /> : <DatesChoice name={column} />);
const encoding: Control = () => <OptionChoice option="encoding" />;
const delimiter: Control = () => <OptionChoice option="delimiter" />;
const decimal: Control = () => <OptionChoice option="decimal" />;
const sheet: Control = () => <OptionChoice option="sheet" />;
const header: Control = () => <HeaderChoice />;
const parameter: Control = ({ problem }) => <ParameterField name={nameIn(problem.message)} />;
const columnsStep: Control = () => <PlaceLink step="columns" />;
const openStep: Control = () => <PlaceLink step="open" />;

const nameIn = (message: string): string => /`([^`]+)`/.exec(message)?.[1] ?? "";

export const REMEDIES: Record<string, Remedy> = {
  AC038: { words: "Choose what happens to missing values:", control: openStep },
  AC106: { words: "Give it a value:", control: parameter },
  AC107: { reason: "an empty field gives no value, and the page sends none that the policy does not use" },
  AC109: { words: "Give it another value:", control: parameter },
  AC204: { words: "If the first line has the names of the columns, say so:", control: header },
  AC205: { words: "Choose the encoding:", control: encoding },
  AC210: { words: "If these are numbers with a decimal comma, choose it:", control: decimal },
  AC212: { words: "Choose what happens to them:", control: eachMissing },
  AC213: { words: "Choose another value, or drop the records:", control: eachMissing },
  AC225: { words: "Choose the delimiter:", control: delimiter },
  AC232: { words: "Choose the format of its dates:", control: dates },
  AC233: { words: "Choose again what happens to missing values:", control: openStep },
  AC234: { words: "Choose the format of all its dates:", control: dates },
  AC235: { words: "Choose a format:", control: openStep },
  AC236: { words: "Choose again which columns have dates:", control: openStep },
  AC237: { words: "If these are local dates, choose their format; otherwise give each value a label:", control: dates },
  AC238: { words: "If these are local dates, choose their format:", control: dates },
  AC241: { words: "Choose the encoding:", control: encoding },
  AC242: { words: "Choose the decimal mark or the delimiter:", control: () => [decimal, delimiter].map((each) => each({ problem: NONE, column: null })) },
  AC245: { words: "Choose the sheet:", control: sheet },
  AC251: { words: "If the first line has the names of the columns, say so; otherwise, add a line with them to the file:", control: header },
  AC415: { reason: "the key is secret, and no page receives it: end the studio, and start it with the file that contains the key" },
  AC416: { reason: "the key is secret, and no page receives it: end the studio, and start it with another file" },
  AC601: { words: "Mark the quasi-identifiers:", control: columnsStep },
  AC604: { words: "Change its role, or the column that tells persons apart:", control: columnsStep },
  AC607: { reason: "the population is another file: correct it, or start the studio with another one" },
};
const NONE: Diagnostic = { code: "", message: "", help: null, severity: "error", from: null, to: null, page: "", related: [], fixes: [] };

/** The help for a problem: a control if there is one, or else words that name no flag. */
export function Help({ problem }: { problem: Diagnostic }) {
  const remedy = REMEDIES[problem.code];
  const words = wordsIn(problem.help ?? "");
  const fits = remedy !== undefined && !(problem.code in ONLY_WITH && !problem.help?.includes(ONLY_WITH[problem.code] ?? ""));
  if (!fits && words.length === 0) return problem.help === null ? null : <p class="help"><Prose text={problem.help} /></p>;
  return (
    <>
      {fits && "reason" in remedy && <p class="help">{remedy.reason}</p>}
      {fits && "control" in remedy && (
        <div class="help remedy">
          <span>{remedy.words}</span> {remedy.control({ problem, column: columnIn(problem.message) })}
          {draft.value !== null && (
            <button type="button" class="small" onClick={() => void openDraft()}>
              Open with this
            </button>
          )}
        </div>
      )}
      {words.length > 0 && (
        <p class="help remedy">
          {words.map((word) => (
            <button type="button" class="small" onClick={() => void changeReading({ ...currentReading(), na: [...(currentReading().na ?? []), word] })}>
              Count {word} as missing
            </button>
          ))}
        </p>
      )}
    </>
  );
}

/** the control is for some causes of these errors only, which the help names */
const ONLY_WITH: Record<string, string> = { AC210: "Decimal mark", AC237: "Date format", AC238: "Date format" };

/** the words that the help proposes to count as missing values */
const wordsIn = (help: string): string[] => [...help.matchAll(/`Words for missing values: ([^`]+)`/g)].flatMap((found) => (found[1] ?? "").split(", "));

/** The value of a parameter; it takes effect with Enter or when the field is left. */
function ParameterField({ name }: { name: string }) {
  const [value, setValue] = useState(parameterValues.value[name] ?? "");
  const apply = () => {
    if (value.trim() !== "") parameterValues.value = { ...parameterValues.value, [name]: value };
  };
  return (
    <input
      class="short"
      aria-label={`Value of ${name}`}
      value={value}
      onInput={(event) => setValue(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Enter" && apply()}
      onBlur={apply}
    />
  );
}
