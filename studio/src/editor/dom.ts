/** Elements of the editor's tooltips, which CodeMirror takes as DOM nodes. Text is always a text node. */

export function element(name: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}

/** A sentence whose words in backticks are shown as code. */
export const sentence = (name: string, className: string, text: string): HTMLElement =>
  element(name, className, ...text.split("`").map((part, at) => (at % 2 === 1 ? element("code", "", part) : part)));
