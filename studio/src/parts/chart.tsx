import { useLayoutEffect, useRef } from "preact/hooks";

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "rect", "line", "path", "text", "tspan", "title", "desc", "circle", "polyline", "polygon"]);

/**
 * A chart parseShapes by the server. It is parsed into a separate document, where nothing runs or loads. Only its shapes are copied,
 * without attributes that could run scripts, link elsewhere or set inline styles (which the page's CSP forbids).
 */
export function Chart({ source }: { source: string }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => host.current?.replaceChildren(...parseShapes(source)), [source]);
  return source === "" ? null : <div class="drawing" ref={host} />;
}

function parseShapes(source: string): Node[] {
  const root = new DOMParser().parseFromString(source, "text/html").querySelector("svg");
  if (root === null) return [];
  root.querySelectorAll("*").forEach((each) => {
    if (!isShape(each)) each.remove();
  });
  [root, ...root.querySelectorAll("*")].forEach(removeUnsafeAttributes);
  return [document.importNode(root, true)];
}

const isShape = (element: Element): boolean => element.namespaceURI === SVG && SHAPES.has(element.localName);

function removeUnsafeAttributes(element: Element): void {
  for (const { name } of [...element.attributes]) {
    if (/^on|href$|^style$/i.test(name)) element.removeAttribute(name);
  }
}
