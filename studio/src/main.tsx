import { render } from "preact";
import { App } from "./app";
import { Refused } from "./api";
import { open, save, undo, watchFile } from "./files";
import { follow } from "./place";
import { dirty, opened, text } from "./state";
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
