/**
 * The one way in which this page makes elements. Text only ever becomes text: there is no path from a copy to markup.
 */
import { cutOff } from "../engine/quoted.ts";
import { visible } from "./visible.ts";

export type Child = Node | string | number | null | undefined | readonly Child[];
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

const SVG = "http://www.w3.org/2000/svg";

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  append(element, children);
  return element;
}

export function paragraph(...children: readonly Child[]): HTMLElement {
  return el("p", {}, ...children);
}

export function subtitle(...children: readonly Child[]): HTMLElement {
  return el("h3", {}, ...children);
}

export function strong(...children: readonly Child[]): HTMLElement {
  return el("strong", {}, ...children);
}

export function code(...children: readonly Child[]): HTMLElement {
  return el("code", {}, ...children);
}

/** Words of a stranger, cut for display, whose direction of writing stays their own. */
export function foreign(text: string | undefined): HTMLElement {
  return el("bdi", {}, cutOff(text ?? ""));
}

export function svg(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  append(element, children);
  return element;
}

/** Put children in place of what an element holds. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** Elements that the template has. One that is missing is a mistake of the build, not of the reader. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`this page lacks its element ${id}`);
  return element as T;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : visible(String(value)));
  }
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    if (child instanceof Node) element.appendChild(child);
    else if (typeof child === "string" || typeof child === "number") {
      element.appendChild(document.createTextNode(visible(String(child))));
    } else append(element, child);
  }
}
