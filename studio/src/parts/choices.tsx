/** A control for each option of how a table is read: on the step *Open*, and next to the errors that it solves. */

import type { Finding } from "../api";
import { changeReading, currentReading } from "../opening";

export type OptionKey = "encoding" | "delimiter" | "decimal" | "sheet";
export const TITLES: Record<OptionKey, string> = { encoding: "Encoding", delimiter: "Delimiter", decimal: "Decimal mark", sheet: "Sheet" };
const OFFERED: Record<OptionKey, string[]> = {
  encoding: ["utf-8", "cp1252", "latin-1", "utf-16", "cp1250", "cp1251", "iso-8859-15", "gb18030", "shift_jis"],
  delimiter: [",", ";", "\t", "|"],
  decimal: [".", ","],
  sheet: [],
};
export const NAMES: Record<string, string> = { ",": "comma (,)", ";": "semicolon (;)", "\t": "tab", "|": "bar (|)", ".": "point (.)" };

/** A choice of one option: its own value, those found, and usual ones. */
export function OptionChoice({ id, option, finding }: { id?: string; option: OptionKey; finding?: Finding | undefined }) {
  const reading = currentReading();
  const found = typeof finding?.value === "string" ? finding.value : "";
  const value = reading[option] ?? (option === "decimal" ? "." : found);
  const offered = [...new Set([value, ...(finding?.candidates ?? []), ...OFFERED[option]])].filter((each) => each !== "");
  return (
    <select
      {...(id === undefined ? { "aria-label": TITLES[option] } : { id })}
      value={value}
      onChange={(event) => void changeReading({ ...currentReading(), [option]: event.currentTarget.value })}
    >
      {value === "" && <option value="">as found</option>}
      {offered.map((each) => (
        <option value={each}>{NAMES[each] ?? each}</option>
      ))}
    </select>
  );
}

export function HeaderChoice() {
  return (
    <select
      id="reading-header"
      value={currentReading().header === true ? "names" : "judge"}
      onChange={(event) => void changeReading({ ...currentReading(), header: event.currentTarget.value === "names" })}
    >
      <option value="judge">has the names of the columns, unless it looks like a record</option>
      <option value="names">has the names of the columns</option>
    </select>
  );
}

export type MissingEffect = "none" | "drop" | "category" | "fill";
/** the word that stands for missing values as a category of their own */
export const CATEGORY = "missing";

export function effectOf(name: string): MissingEffect {
  const value = currentReading().missing?.[name];
  return value === undefined ? "none" : value === "drop" ? "drop" : value === CATEGORY ? "category" : "fill";
}

function chooseMissing(name: string, value: string | null): void {
  const { [name]: _, ...others } = currentReading().missing ?? {};
  void changeReading({ ...currentReading(), missing: value === null ? others : { ...others, [name]: value } });
}

/** The same for many columns, which keep what was chosen for each. */
export function chooseMissingOf(names: string[], value: string): void {
  const chosen = Object.fromEntries(names.map((name) => [name, value]));
  void changeReading({ ...currentReading(), missing: { ...chosen, ...currentReading().missing } });
}

/** What happens to a column's missing values. A number or a date has no category in words. */
export function MissingChoice({ name, takesWords = true, fill = takesWords ? "?" : "0" }: { name: string; takesWords?: boolean; fill?: string }) {
  const now = effectOf(name);
  const value = currentReading().missing?.[name] ?? "";
  const choose = (choice: string) => {
    if (choice === "none") chooseMissing(name, null);
    else if (choice === "drop") chooseMissing(name, "drop");
    else if (choice === "category") chooseMissing(name, CATEGORY);
    else chooseMissing(name, fill);
  };
  return (
    <span class="buttons">
      <select aria-label={`Missing values of ${name}`} value={now} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="none">decide later</option>
        {(takesWords || now === "category") && <option value="category">keep as a category</option>}
        <option value="drop">drop the records</option>
        <option value="fill">fill with a value</option>
      </select>
      {now === "fill" && (
        <input class="short" aria-label={`Value that fills ${name}`} value={value} onChange={(event) => chooseMissing(name, event.currentTarget.value || null)} />
      )}
    </span>
  );
}

const FORMATS = ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y%m%d", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%Y"];

/** The format of a column's dates, shown by an example. */
export function DatesChoice({ name, found = null, candidates = [] }: { name: string; found?: string | null; candidates?: string[] }) {
  const value = currentReading().dates?.[name] ?? "";
  const offered = [...new Set([...(value === "" ? [] : [value]), ...(found === null ? [] : [found]), ...candidates, ...FORMATS])];
  const choose = (format: string) => {
    const { [name]: _, ...others } = currentReading().dates ?? {};
    void changeReading({ ...currentReading(), dates: format === "" ? others : { ...others, [name]: format } });
  };
  return (
    <select aria-label={`Date format of ${name}`} value={value} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">as text or ISO dates</option>
      {offered.map((format) => (
        <option value={format}>{example(format)}</option>
      ))}
    </select>
  );
}

const PARTS: Record<string, string> = { "%d": "31", "%m": "12", "%Y": "1999", "%y": "99", "%b": "Dec", "%B": "December", "%H": "18", "%M": "30", "%S": "00", "%I": "06", "%p": "PM" };
/** the last day of 1999, 18:30, in a format */
export const example = (format: string): string => `${format.replace(/%[A-Za-z]/g, (part) => PARTS[part] ?? part)} (${order(format)})`;
function order(format: string): string {
  const at = (parts: string[]): number => Math.min(...parts.map((part) => format.indexOf(part)).filter((found) => found >= 0), format.length);
  const places: [string, number][] = [["day", at(["%d"])], ["month", at(["%m", "%b", "%B"])], ["year", at(["%Y", "%y"])]];
  return places.sort((one, other) => one[1] - other[1]).map(([word]) => word).join(", ");
}
