/** A share as a bar next to its number; the number is text, so screen readers skip the bar. */
export function ShareBar({ part, series = "after" }: { part: number; series?: string }) {
  const width = Math.max(0, Math.min(100, 100 * part));
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="8" rx="2" class="ground" />
      <rect width={width.toFixed(2)} height="8" rx="2" class={series} />
    </svg>
  );
}
