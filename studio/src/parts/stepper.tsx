/** A number with buttons for one less and one more. Arrow keys step too, in an empty field from the number of the hint; any text may be typed. */

type Props = { label: string; value: string; set: (value: string) => void; least?: number; hint?: string; name?: string };

export function Stepper({ label, value, set, least, hint, name = label }: Props) {
  const step = (by: number) => {
    const next = (Number.parseInt(value === "" ? (hint ?? "") : value, 10) || 0) + by;
    set(String(least === undefined ? next : Math.max(least, next)));
  };
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  };
  return (
    <div class="stepper" role="group" aria-label={name}>
      <span class="label" aria-hidden="true">{label}</span>
      <button type="button" aria-label={`${name}: one less`} onClick={() => step(-1)}>−</button>
      <input
        aria-label={name}
        inputMode="numeric"
        autocomplete="off"
        size={Math.max(3, value.length)}
        value={value}
        placeholder={hint ?? "?"}
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={keys}
      />
      <button type="button" aria-label={`${name}: one more`} onClick={() => step(1)}>+</button>
    </div>
  );
}
