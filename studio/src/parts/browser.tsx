/** The files of a folder of the computer that the studio runs on. Arrows move, Enter opens, Backspace goes up. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Listing } from "../api";
import { browse, listing, openPath } from "../opening";
import { countNoun, size } from "../words";

export function FileBrowser() {
  const found = listing.value;
  useEffect(() => void browse(found?.path ?? null), []); // with files that came meanwhile
  if (found === null) return <p class="empty">Reading the folder…</p>;
  return <Folder key={found.path} found={found} />;
}

/** the folder that was shown before: in the next one, the keyboard goes on in its list */
let before: string | null = null;

function useFocusOnEntries(path: string, entries: () => HTMLButtonElement[]): void {
  useEffect(() => {
    if (before !== null && before !== path && document.activeElement === document.body) entries()[0]?.focus();
    before = path;
  }, [path]);
}

const DAY = new Intl.DateTimeFormat("en-CA");

function Folder({ found }: { found: Listing }) {
  const [filter, setFilter] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const wanted = filter.trim().toLowerCase();
  const fits = ({ name }: { name: string }) => name.toLowerCase().includes(wanted);
  const folders = found.folders.filter(fits);
  const files = found.files.filter(fits);
  const hidden = found.folders.length + found.files.length - folders.length - files.length;
  const entries = (): HTMLButtonElement[] => [...(list.current?.querySelectorAll("button") ?? [])];
  useFocusOnEntries(found.path, entries);
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Backspace" && found.parent !== null) {
      event.preventDefault();
      void browse(found.parent);
      return;
    }
    const all = entries();
    const at = all.findIndex((each) => each === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[Math.max(0, Math.min(to, all.length - 1))]?.focus();
  };
  const enter = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    const first = entries()[0];
    if (event.key === "Enter") first?.click();
    else first?.focus();
  };
  return (
    <div class="browser">
      <p class="row">
        <code class="path">{found.path}</code>
        <span class="buttons">
          <button type="button" class="small" disabled={found.parent === null} onClick={() => void browse(found.parent)}>
            Up
          </button>
          {found.home !== null && (
            <button type="button" class="small" onClick={() => void browse(found.home)}>
              Home
            </button>
          )}
          <input type="search" aria-label="Filter the files" placeholder="Filter" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} onKeyDown={enter} />
        </span>
      </p>
      {found.error !== null && <p class="stale">△ This folder cannot be read: {found.error}.</p>}
      <ul class="files" aria-label="Files of the folder" ref={list} onKeyDown={keys}>
        {folders.map(({ name, path }, index) => (
          <li>
            <button type="button" tabindex={index === 0 ? 0 : -1} onClick={() => void browse(path)}>
              <span class="name">▸ {name}</span> <span class="about">folder</span>
            </button>
          </li>
        ))}
        {files.map(({ name, path, kind, size: bytes, changed }, index) => (
          <li>
            <button type="button" tabindex={folders.length === 0 && index === 0 ? 0 : -1} onClick={() => void openPath(path, bytes)}>
              <span class="name">{name}</span> <span class="about">{kind === "policy" ? "policy" : size(bytes)}</span>{" "}
              <time dateTime={changed}>{DAY.format(new Date(changed))}</time>
            </button>
          </li>
        ))}
      </ul>
      {found.error === null && folders.length + files.length === 0 && hidden === 0 && <p class="empty">No folder, table or policy here.</p>}
      {hidden > 0 && <p class="about">{countNoun(hidden, "entry").replace(/entrys$/, "entries")} hidden by the filter.</p>}
    </div>
  );
}
