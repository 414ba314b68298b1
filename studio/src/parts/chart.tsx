import { useLayoutEffect, useRef } from "preact/hooks";

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "rect", "line", "path", "text", "tspan", "title", "desc", "circle", "polyline", "polygon"]);

/**
 * A chart drawn by the server. It is parsed into a document of its own, where nothing runs or loads. Of it only the drawing is
 * taken; every element that is not a shape goes, and so does every attribute that could act, point elsewhere or style inline
 * (which the page's CSP forbids).
 */
export function Chart({ source }: { source: string }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => host.current?.replaceChildren(...drawn(source)), [source]);
  return source === "" ? null : <div class="drawing" ref={host} />;
}

function drawn(source: string): Node[] {
  const root = new DOMParser().parseFromString(source, "text/html").querySelector("svg");
  if (root === null) return [];
  root.querySelectorAll("*").forEach((each) => {
    if (!isShape(each)) each.remove();
  });
  [root, ...root.querySelectorAll("*")].forEach(disarm);
  return [document.importNode(root, true)];
}

const isShape = (element: Element): boolean => element.namespaceURI === SVG && SHAPES.has(element.localName);

function disarm(element: Element): void {
  for (const { name } of [...element.attributes]) {
    if (/^on|href$|^style$/i.test(name)) element.removeAttribute(name);
  }
}
