import { render } from "preact";
import { App } from "./app";
import { Refused } from "./api";
import { open, save, undo, watchFile } from "./files";
import { follow, shows } from "./place";
import { dirty, dragged, dropped, notice, opened, text } from "./state";
import "./studio.css";

async function start(root: HTMLElement): Promise<void> {
  root.textContent = "Opening…";
  try {
    await open();
  } catch (error) {
    root.textContent = error instanceof Refused ? error.message : "The studio is not responding.";
    return;
  }
  follow(opened.value === null ? "open" : text.value.trim() === "" ? "columns" : "refine");
  root.replaceChildren();
  render(<App />, root);
  watchFile();
}

/** A file may be dropped anywhere on the step Open. Elsewhere, the browser would leave the page, or the editor would insert the file's records. */
function drag(event: DragEvent): void {
  const isInput = event.target instanceof Element && event.target.closest("input[type=file]") !== null;
  if (!event.dataTransfer?.types.includes("Files") || isInput) return;
  event.preventDefault();
  event.stopPropagation();
  dragged.value = event.type === "dragover";
  if (event.type !== "drop") return;
  if (opened.peek() === null || shows("open")) dropped.value = event.dataTransfer.files[0] ?? null;
  else notice.value = "A table is opened on the step Open: drop the file there.";
}

for (const type of ["dragover", "dragleave", "drop"] as const) window.addEventListener(type, drag, true);

window.addEventListener("hashchange", () => follow());
window.addEventListener("beforeunload", (event) => {
  if (dirty.value) event.preventDefault();
});
/** Texts have an undo of their own. */
const hasOwnUndo = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(".cm-editor, textarea, input:not([type=checkbox], [type=radio])") !== null;
window.addEventListener("keydown", (event) => {
  if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.defaultPrevented || hasOwnUndo(event.target)) return;
  event.preventDefault();
  void undo();
});
window.addEventListener("keydown", (event) => {
  if (event.key !== "s" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  void save();
});

const root = document.getElementById("app");
if (root !== null) void start(root);
