import type { Range } from "../api";
import { goTo } from "../editor/holder";

/** "line 12" as a button that selects the place in the policy. */
export function LineLink({ line, range }: { line: number; range: Range }) {
  return (
    <button type="button" class="link" onClick={() => goTo(range.from, range.to)}>
      line {line}
    </button>
  );
}
