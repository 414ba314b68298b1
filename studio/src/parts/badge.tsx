import type { Badge } from "../words";

/** A verdict as a sign and a word. */
export function BadgeMark({ badge, long = false }: { badge: Badge; long?: boolean }) {
  return (
    <span class={`mark ${badge.tone}`} title={long ? undefined : badge.long}>
      <span aria-hidden="true">{badge.sign}</span> {long ? badge.long : badge.word}
    </span>
  );
}
