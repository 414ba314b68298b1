import type { ComponentChildren } from "preact";

export type Head = { title: string; number?: boolean; sort?: { on: boolean; by: () => void } };
type Props = { caption: string; head: (string | Head)[]; children: ComponentChildren; quiet?: boolean };

/** A table that scrolls by itself when it is wider than the page. */
export function DataTable({ caption, head, children, quiet = false }: Props) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={caption}>
      <table>
        <caption class={quiet ? "hidden" : ""}>{caption}</caption>
        <thead>
          <tr>{head.map((each) => <HeadCell head={typeof each === "string" ? { title: each } : each} />)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function HeadCell({ head: { title, number, sort } }: { head: Head }) {
  const side = number ? "number" : "";
  if (sort === undefined) return <th scope="col" class={side}>{title}</th>;
  return (
    <th scope="col" class={side} aria-sort={sort.on ? "descending" : "none"}>
      <button type="button" class="sorter" onClick={sort.by}>
        {title} <span aria-hidden="true">{sort.on ? "▾" : "▵"}</span>
      </button>
    </th>
  );
}

export const Num = ({ children }: { children: ComponentChildren }) => <td class="number">{children}</td>;
