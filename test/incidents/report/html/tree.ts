// Tree: a page as a real HTML parser reads it.

import { type DefaultTreeAdapterMap, defaultTreeAdapter, parse } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
export type Element = DefaultTreeAdapterMap['element'];

/** All elements in the order of the document; `errors` are what the parser had to repair. */
export function elementsOf(text: string): { elements: Element[]; errors: string[] } {
  const errors: string[] = [];
  const document = parse(text, { onParseError: ({ code }) => void errors.push(code) });
  const elements: Element[] = [];
  const walk = (node: Node): void => {
    if (defaultTreeAdapter.isElementNode(node)) elements.push(node);
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(document);
  return { elements, errors };
}

export function attribute(element: Element, name: string): string | null {
  return element.attrs.find((each) => each.name === name)?.value ?? null;
}

export function textOf(node: Node): string {
  if (defaultTreeAdapter.isTextNode(node)) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
