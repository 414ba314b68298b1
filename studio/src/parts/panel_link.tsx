import { panel, type PanelName } from "../state";

/** The name of another panel, which it opens. */
export function PanelLink({ to }: { to: PanelName }) {
  return (
    <button type="button" class="link" onClick={() => void (panel.value = to)}>
      {to}
    </button>
  );
}
