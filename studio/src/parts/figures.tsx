import type { ComponentChildren } from "preact";

export const Figures = ({ children }: { children: ComponentChildren }) => <dl class="figures">{children}</dl>;

/** A key figure, with its value before. */
export function Figure({ name, value, before, note }: { name: ComponentChildren; value: string; before?: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {before !== undefined && (
          <>
            <span class="was">{before}</span> <span class="arrow" aria-label="becomes">→</span>{" "}
          </>
        )}
        {value} {note && <small>{note}</small>}
      </dd>
    </div>
  );
}
