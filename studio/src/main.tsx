import { render } from "preact";
import { App } from "./app";
import { Refused } from "./api";
import { open, save, watchFile } from "./files";
import { choosePanelFromAddress } from "./parts/tabs";
import { dirty } from "./state";
import "./studio.css";

async function start(root: HTMLElement): Promise<void> {
  choosePanelFromAddress();
  root.textContent = "Opening the table…";
  try {
    await open();
  } catch (error) {
    root.textContent = error instanceof Refused ? error.message : "The studio is not responding.";
    return;
  }
  root.replaceChildren();
  render(<App />, root);
  watchFile();
}

window.addEventListener("hashchange", choosePanelFromAddress);
window.addEventListener("beforeunload", (event) => {
  if (dirty.value) event.preventDefault();
});
window.addEventListener("keydown", (event) => {
  if (event.key !== "s" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  void save();
});

const root = document.getElementById("app");
if (root !== null) void start(root);
