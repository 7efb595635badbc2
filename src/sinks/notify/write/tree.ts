// Tree: a request's body as JSON whose texts are templates. A text can only ever fill its own place.

import type { Tree } from '../channels/definition.ts';
import type { Templates } from './liquid.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Render = (context: object) => Json;

export function compileTree(tree: Tree, templates: Templates): Render {
  if (typeof tree === 'string') return tree.includes('{') ? templates.parse(tree) : () => tree;
  if (tree === null || typeof tree !== 'object') return () => tree;
  if (Array.isArray(tree)) return compileList(tree, templates);
  const entries = Object.entries(tree as { readonly [name: string]: Tree }).map(
    ([name, value]) => [name, compileTree(value, templates)] as const,
  );
  return (context) => {
    const made: { [name: string]: Json } = {};
    for (const [name, render] of entries) {
      const value = render(context);
      if (name.endsWith('?')) {
        if (!isEmpty(value)) made[name.slice(0, -1)] = value;
      } else if (name.endsWith('#')) made[name.slice(0, -1)] = value === '' ? '' : Number(value);
      else made[name] = value;
    }
    return made;
  };
}

/** An element with "$each" stands for one for each item of that list. */
function compileList(list: readonly Tree[], templates: Templates): Render {
  const renders = list.map((tree) => {
    if (typeof tree !== 'object' || tree === null || Array.isArray(tree) || !('$each' in tree)) {
      const render = compileTree(tree, templates);
      return (context: object): Json[] => [render(context)];
    }
    const each = tree as { readonly [name: string]: Tree };
    const [name, item] = [String(each.$each), compileTree(each.$item ?? '', templates)];
    return (context: object): Json[] => {
      const items: unknown = Reflect.get(context, name);
      return Array.isArray(items) ? items.map((one: unknown) => item({ ...context, item: one })) : [];
    };
  });
  return (context) => renders.flatMap((render) => render(context));
}

/** Nothing in it, or an object or list one of whose own texts is empty: a link without its address. */
function isEmpty(value: Json): boolean {
  if (value === '' || value === null) return true;
  if (typeof value !== 'object') return false;
  const own = Array.isArray(value) ? value : Object.values(value);
  return (
    own.length === 0 || own.some((each) => each === '' || (typeof each === 'object' && each !== null && isEmpty(each)))
  );
}
