/** The shape of a distribution at a glance. Its numbers are in the table below it, so screen readers skip it. */
export function Histogram({ counts, series = "table" }: { counts: number[]; series?: string }) {
  const highest = Math.max(...counts, 1);
  if (counts.length < 2) return null;
  return (
    <svg class="histogram" viewBox={`0 0 ${counts.length * 10} 30`} preserveAspectRatio="none" aria-hidden="true">
      {counts.map((count, at) => (
        <rect class={series} x={at * 10 + 1} width={8} y={30 - height(count, highest)} height={height(count, highest)} />
      ))}
    </svg>
  );
}

const height = (count: number, highest: number): number => (count === 0 ? 0 : Math.max(1, (29 * count) / highest));
