// Find route: the entry of the table that a path and a method ask for; {name} in a path stands for one part of it.

import { ApiError } from './api-error.ts';
import type { Route, Routes } from './route.ts';

export interface Found<Backend> {
  readonly route: Route<Backend>;
  readonly path: Readonly<Record<string, string>>;
}

const LONGEST_PART = 256;

/** Throws FL4101 for a path that is not there, and FL4102 for a method that it does not take. */
export function findRoute<Backend>(routes: Routes<Backend>, url: string, method: string): Found<Backend> {
  const path = url.split('?', 1)[0] ?? '';
  const found = methodsOf(routes, path);
  if (found === null)
    throw new ApiError(404, 'FL4101', `there is no such path here. Known: ${Object.keys(routes).join(', ')}`);
  const { methods, parts } = found;
  const route = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (route === undefined)
    throw new ApiError(405, 'FL4102', `${path.slice(0, LONGEST_PART)} takes ${Object.keys(methods).join(', ')}`);
  return { route, path: parts };
}

function methodsOf<Backend>(routes: Routes<Backend>, path: string) {
  const exact = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (exact !== undefined) return { methods: exact, parts: {} };
  for (const [template, methods] of Object.entries(routes)) {
    const parts = template.includes('{') ? partsOf(template, path) : null;
    if (parts !== null) return { methods, parts };
  }
  return null;
}

function partsOf(template: string, path: string): Readonly<Record<string, string>> | null {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const parts: Record<string, string> = {};
  for (const [at, piece] of wanted.entries()) {
    const own = given[at] ?? '';
    const name = /^\{([a-z_]+)\}$/.exec(piece)?.[1];
    if (name === undefined) {
      if (piece !== own) return null;
      continue;
    }
    const value = decoded(own);
    if (value === null || value === '' || value.length > LONGEST_PART) return null;
    parts[name] = value;
  }
  return parts;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
