/** Groups by hand: values, or groups of the level below, are selected and merged, by keyboard or by dragging. */

import { signal } from "@preact/signals";
import type { GroupedColumn } from "../api";
import { count, countNoun } from "../words";
import { addGroupLevel, change, done, draft, removeGroupLevel, type Draft } from "./draft";
import { groupByStart, keepApart, listLevel, mergeInto, renameGroup, takeOut, type Group, type Groups, type Item } from "./groups";

/** the level whose groups are shown */
export const level = signal(1);
const selected = signal<ReadonlySet<string>>(new Set());
const words = signal("");
const target = signal("");
const start = signal("3");
const most = signal(200);
/** where a range that Shift extends begins */
let anchor: string | null = null;

export function beginTree(): void {
  level.value = 1;
  selected.value = new Set();
  words.value = target.value = "";
  most.value = 200;
}

export function Tree({ found, column }: { found: Draft; column: GroupedColumn }) {
  if (column.values === null) return <NoValues column={column} />;
  const records = new Map(column.values.map((each) => [each.text, each.records]));
  const { free, groups } = listLevel(found.groups, level.value, (value) => records.get(value) ?? 0);
  const isMeant = ({ name, values }: Item) => [name, ...values].some((each) => each.toLowerCase().includes(words.value.toLowerCase()));
  const shown = free.filter(isMeant);
  return (
    <div onKeyDown={onKey}>
      <Levels groups={found.groups} />
      <Selection groups={found.groups} names={groups.map((each) => each.name)} />
      <div class="tree">
        <section aria-labelledby="free-title">
          <h3 id="free-title">Without a group ({count(free.length)})</h3>
          <input type="search" class="wide" aria-label="Filter" placeholder="Filter" value={words.value} onInput={(event) => void (words.value = event.currentTarget.value)} />
          {shown.length > 1 && (
            <button type="button" class="small" onClick={() => select(shown.map((each) => each.name))}>
              Select {words.value === "" ? "all" : `these ${count(shown.length)}`}
            </button>
          )}
          {shown.length > 1 && <StartForm groups={found.groups} items={shown.map((each) => each.name)} />}
          <Items items={shown.slice(0, most.value)} label="Without a group" />
          {shown.length > most.value && (
            <button type="button" class="small" onClick={() => void (most.value += 200)}>
              Show more of {count(shown.length)}
            </button>
          )}
          {free.length === 0 && <p class="empty">Every value has a group.</p>}
        </section>
        <section aria-labelledby="groups-title">
          <h3 id="groups-title">Groups of level {level.value} ({count(groups.length)})</h3>
          <ul class="plain">
            {groups.map((group) => (
              <GroupCard key={group.name} group={group} isMeant={isMeant} />
            ))}
            <li class="group new" {...dropping("")}>
              Drop values here for a new group
            </li>
          </ul>
        </section>
      </div>
    </div>
  );
}

function StartForm({ groups, items }: { groups: Groups; items: string[] }) {
  const group = (event: Event) => {
    event.preventDefault();
    const length = Number(start.value);
    if (!Number.isInteger(length) || length < 1) return void (done.value = "The number of characters is missing");
    change({ groups: groupByStart(groups, level.value, items, length) });
    select([]);
    done.value = `${countNoun(items.length, "item")} grouped by their first characters`;
  };
  return (
    <form class="row" onSubmit={group}>
      <label>
        First characters{" "}
        <input class="short" inputMode="numeric" value={start.value} onInput={(event) => void (start.value = event.currentTarget.value)} />
      </label>
      <button type="submit" class="small">
        Group by them
      </button>
    </form>
  );
}

function NoValues({ column }: { column: GroupedColumn }) {
  const isLarge = column.distinct > column.most;
  return (
    <p class="empty">
      {isLarge
        ? `The column has ${count(column.distinct)} values; up to ${count(column.most)} can be grouped one by one. Use bands, prefixes, dates or a file.`
        : "Turn on “Show values” to group values."}
    </p>
  );
}

function Levels({ groups }: { groups: Groups }) {
  const levels = Array.from({ length: groups.levels }, (_, at) => at + 1);
  const show = (own: number) => {
    level.value = own;
    select([]);
  };
  const add = () => {
    addGroupLevel();
    show(groups.levels + 1);
    done.value = `Added level ${groups.levels + 1}`;
  };
  const remove = () => {
    removeGroupLevel();
    show(Math.min(level.value, groups.levels - 1));
    done.value = `Removed level ${groups.levels}`;
  };
  return (
    <p class="row" role="group" aria-label="Levels">
      {levels.map((own) => (
        <button type="button" class="small" aria-pressed={own === level.value} onClick={() => show(own)}>Level {own}</button>
      ))}
      <button type="button" class="small quiet" onClick={add}>Add a level</button>
      {groups.levels > 1 && <button type="button" class="small quiet" onClick={remove}>Remove level {groups.levels}</button>}
    </p>
  );
}

function Selection({ groups, names }: { groups: Groups; names: string[] }) {
  const items = selected.value;
  /** The buttons stay enabled, so that they keep the focus. */
  const apply = (next: Groups, said: string) => {
    if (items.size === 0) return void (done.value = "Nothing is selected");
    change({ groups: next });
    select([]);
    done.value = said;
  };
  const merge = (event: Event) => {
    event.preventDefault();
    const name = target.value.trim();
    if (name === "") return void (done.value = "A group needs a name");
    apply(mergeInto(groups, level.value, items, name), `${countNoun(items.size, "item")} merged into ${name}`);
    target.value = "";
  };
  return (
    <form class="row selection" onSubmit={merge}>
      <span>{count(items.size)} selected</span>
      <label>
        Merge into{" "}
        <input list="group-names" value={target.value} placeholder="name of a group" onInput={(event) => void (target.value = event.currentTarget.value)} />
      </label>
      <datalist id="group-names">
        {names.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <button type="submit" aria-disabled={items.size === 0 || target.value.trim() === ""}>Merge</button>
      <button type="button" aria-disabled={items.size === 0} onClick={() => apply(keepApart(groups, level.value, items), `${countNoun(items.size, "item")} kept apart`)}>
        Keep each
      </button>
      <button type="button" aria-disabled={items.size === 0} onClick={() => apply(takeOut(groups, level.value, items), `${countNoun(items.size, "item")} taken out`)}>
        Take out
      </button>
    </form>
  );
}

const select = (names: string[]): void => void (selected.value = new Set(names));

function Items({ items, label }: { items: Item[]; label: string }) {
  return (
    <ul class="items" aria-label={label}>
      {items.map((item, at) => (
        <ItemRow key={item.name} item={item} first={at === 0} />
      ))}
    </ul>
  );
}

function ItemRow({ item, first }: { item: Item; first: boolean }) {
  const isOn = selected.value.has(item.name);
  const drag = (event: DragEvent) => {
    if (!isOn) select([item.name]);
    event.dataTransfer?.setData("text/plain", item.name);
  };
  return (
    <li>
      <label class="item" draggable onDragStart={drag}>
        <input
          type="checkbox"
          data-name={item.name}
          tabIndex={first ? 0 : -1}
          checked={isOn}
          onClick={(event) => toggle(item.name, event.currentTarget.checked, event.shiftKey, event.currentTarget)}
        />
        <span>{item.name}</span> <small>{count(item.records)}</small>
      </label>
      {level.value > 1 && (
        <details>
          <summary>{countNoun(item.values.length, "value")} of {item.name}</summary>
          <p class="about">{item.values.slice(0, 100).join(", ")}{item.values.length > 100 && ", …"}</p>
        </details>
      )}
    </li>
  );
}

function toggle(name: string, on: boolean, extend: boolean, box: Element): void {
  const next = new Set(selected.peek());
  for (const each of extend ? rangeTo(name, box) : [name]) {
    if (on) next.add(each);
    else next.delete(each);
  }
  anchor = name;
  selected.value = next;
}

/** The items from the last one that was clicked to this one, in the order of the page. */
function rangeTo(name: string, box: Element): string[] {
  const names = boxesAround(box).map((each) => each.dataset["name"] ?? "");
  const ends = [names.indexOf(anchor ?? name), names.indexOf(name)];
  return ends.includes(-1) ? [name] : names.slice(Math.min(...ends), Math.max(...ends) + 1);
}

const boxesAround = (element: Element): HTMLInputElement[] => [...(element.closest(".tree")?.querySelectorAll<HTMLInputElement>("input[data-name]") ?? [])];

/** Arrow keys move between items, F2 renames the group of the focused one. */
function onKey(event: KeyboardEvent): void {
  const here = event.target;
  if (!(here instanceof HTMLInputElement) || here.dataset["name"] === undefined) return;
  if (event.key === "F2" || event.key === "Enter") {
    const name = here.closest(".group")?.querySelector<HTMLInputElement>("input.group-name");
    if (name) {
      event.preventDefault();
      name.focus();
      name.select();
    }
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const boxes = boxesAround(here);
  const next = boxes[boxes.indexOf(here) + step];
  if (next === undefined) return;
  if (event.shiftKey) toggle(next.dataset["name"] ?? "", true, false, next);
  next.focus();
}

function GroupCard({ group, isMeant }: { group: Group; isMeant: (item: Item) => boolean }) {
  const rename = (event: Event & { currentTarget: HTMLInputElement }) => {
    const name = event.currentTarget.value.trim();
    const now = draft.peek();
    if (now === null || name === group.name) return;
    if (name === "") return void (event.currentTarget.value = group.name);
    change({ groups: renameGroup(now.groups, level.peek(), group.name, name) });
    done.value = `${group.name} is now ${name}`;
  };
  const onNameKey = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    if (event.key === "Enter") event.currentTarget.blur();
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.value = group.name;
  };
  const shown = group.items.filter(isMeant);
  return (
    <li class="group" {...dropping(group.name)}>
      <p class="row">
        <input class="group-name" aria-label={`Name of the group ${group.name}`} value={group.name} onChange={rename} onKeyDown={onNameKey} />
        <small>{countNoun(group.records, "record")}</small>
      </p>
      <Items items={shown} label={`Group ${group.name}`} />
    </li>
  );
}

/** What is dropped joins the group; without a name, it becomes a new group that is named after its first item. */
function dropping(name: string) {
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const now = draft.peek();
    const items = selected.peek();
    const [first = ""] = items;
    if (now === null || first === "") return;
    change({ groups: mergeInto(now.groups, level.peek(), items, name || first) });
    done.value = `${countNoun(items.size, "item")} merged into ${name || first}`;
    select([]);
  };
  return { onDragOver: (event: DragEvent) => event.preventDefault(), onDrop: drop };
}
