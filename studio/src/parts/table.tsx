import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export type Head = { title: string; number?: boolean; optional?: boolean; sort?: { on: boolean; by: () => void; up?: boolean } };
type Props = { caption: string; head: (string | Head)[]; children: ComponentChildren; quiet?: boolean };

/** A table that scrolls by itself when it is wider than the page. */
export function DataTable({ caption, head, children, quiet = false }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const wide = useOverflow(box);
  return (
    <div class="scroll" ref={box} {...(wide ? { tabindex: 0, role: "region", "aria-label": caption } : {})}>
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

/** A scrolling element must be reachable by keyboard; others should not be a stop for Tab. */
function useOverflow(box: { current: HTMLElement | null }): boolean {
  const [wide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWide(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return wide;
}

function HeadCell({ head: { title, number, optional, sort } }: { head: Head }) {
  const side = number ? "number" : optional ? "optional" : "";
  if (sort === undefined) return <th scope="col" class={side}>{title}</th>;
  return (
    <th scope="col" class={side} aria-sort={sort.on ? (sort.up ? "ascending" : "descending") : "none"}>
      <button type="button" class="sorter" onClick={sort.by}>
        {title} <span aria-hidden="true">{sort.on ? (sort.up ? "▴" : "▾") : "▵"}</span>
      </button>
    </th>
  );
}

export const Num = ({ children }: { children: ComponentChildren }) => <td class="number">{children}</td>;
