/** What is open, and its file. */

import type { Diagnosed, Diagnostic, Roles, Sample, Params, Nothing } from "../api";

/** what the front page of a report says; a date as `2027-12-31` */
export type FrontPage = { purpose: string; prepared_by: string; recipients: string; valid_until: string };
/** the levels of columns, as an acompass.toml has them: `bands:5,10`, `prefix:4,3`, `dates` or the path of a hierarchy file */
export type Hierarchies = Record<string, string>;
export type Kept = FrontPage & { params: Params; roles: Roles; reading: Record<string, unknown>; hierarchies: Hierarchies };
/** The settings of the open project, which its pages share. */
export type Settings = Kept & {
  version: number;
  unsaved: boolean;
  /** what an undo would restore, if there is anything */
  undo: string | null;
};
type Set = Diagnosed & { settings: Settings | null };

/** the open project */
export type Opened = {
  /** changes when another table is opened */
  project: string;
  /** tells the files apart, also after the studio was started again */
  files: string;
  policy: { name: string; text: string; version: string; exists: boolean };
  /** the folder of the policy, where a release is written */
  folder: string;
  is_writable: boolean;
  table: { name: string; path: string; records: number; columns: string[] };
  params: Params;
  roles: Roles;
  sample: Sample;
  show_records: boolean;
  settings: Settings;
  release: { table: string; report: string; internal: string };
  reading: Reading;
};
/** How a table is read; what is absent has its default. */
export type Reading = {
  delimiter?: string;
  encoding?: string;
  decimal?: string;
  sheet?: string;
  header?: boolean;
  na?: string[];
  /** the date format of columns of text */
  dates?: Record<string, string>;
  /** by column: `drop`, or the value that fills missing values */
  missing?: Record<string, string>;
};

/** What was found about how a table must be read, and why. */
export type Finding = { value: string | boolean | null; reason: string; candidates: string[]; is_default: boolean };
export type NaWord = { word: string; counts: Record<string, number>; is_used: boolean; reason: string };
export type DetectedColumn = {
  name: string | null;
  kind: "number" | "code" | "date" | "text" | null;
  reason: string;
  type: string | null;
  missing: number;
  distinct: number;
  /** distinct values that are not numbers or dates, as most are, or that are dates in the future */
  others: number;
  date: Finding | null;
};
export type Detected = {
  file: string;
  format: "csv" | "workbook" | "parquet" | null;
  size: number | null;
  error: { code: string; message: string; help: string | null } | null;
  encoding: Finding;
  delimiter: Finding;
  decimal: Finding;
  header: Finding;
  sheet: Finding;
  na: NaWord[];
  columns: DetectedColumn[];
  /** the first records; none while values are hidden */
  rows: (string | null)[][];
  records: number;
  is_whole: boolean;
  records_in_file: number | null;
  is_estimate: boolean;
  /** which records were looked at, in words */
  sample: string;
  options: Reading;
};

export type Recent = { key: string; policy: string; table: string; opened: string; exists: boolean };
export type StartPage = {
  folder: string;
  /** where copies of dropped files are kept */
  private: string | null;
  recent: Recent[];
  here: { policy: string; table: string | null }[];
  examples: { file: string; title: string; about: string; license: string }[];
};
export type FileEntry = { name: string; path: string; kind: "table" | "policy"; size: number; changed: string };
export type Listing = {
  path: string;
  parent: string | null;
  home: string | null;
  folders: { name: string; path: string }[];
  files: FileEntry[];
  error: string | null;
};
type Opening = Diagnosed & { opened: Opened | null };
/** `has_suggest`: whether the search is installed; `opened` is null at the start page */
export type StudioPage = { has_suggest: boolean; version: string; opened: Opened | null };

export type OpeningRoutes = {
  open: [Nothing, StudioPage];
  /** only `project` if the page's project is not the open one */
  state: [
    Nothing,
    {
      project: string | null;
      files: string | null;
      /** null if the policy cannot be read */
      version?: string | null;
      /** why the policy or its settings cannot be read */
      problem?: string | null;
      show_records?: boolean;
      settings?: number;
      /** another program has written the settings, which a page has changed */
      settings_differ?: boolean;
    },
  ];
  policy: [Nothing, { text: string; version: string }];
  /** the text may be saved, and the settings not */
  save: [{ text: string; seen: string }, Set & { version: string | null }];
  settings: [Nothing, { settings: Settings }];
  "settings/change": [Partial<FrontPage> & { params?: Params; hierarchies?: Hierarchies }, Set];
  "settings/restore": [Kept, Set];
  "settings/undo": [Nothing, Set & { undone: string | null }];
  "settings/choose": [{ theirs: boolean }, Set];
  start: [Nothing, StartPage];
  forget: [{ key: string }, StartPage];
  browse: [{ path?: string }, Listing];
  /** without a path, of the open table; without options, with those of its acompass.toml */
  detect: [{ path?: string; reading?: Reading; shown: boolean }, { detected: Detected | null; diagnostics?: Diagnostic[] }];
  example: [{ name: string }, Opening];
  /** a table, a policy or a folder; `policy` is the one to open a table with */
  "open/table": [{ path: string; policy?: string; reading?: Reading }, Opening];
  /** a copy of the open table in the private folder */
  "open/copy": [Nothing, Opening];
  reading: [{ reading: Reading }, Opening];
  all: [{ on: boolean }, { sample: Sample }];
  show: [{ on: boolean }, { show_records: boolean }];
};
