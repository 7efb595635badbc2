// Reads our Markdown as the tests need it: pages, headings with their anchors, links, code blocks.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { installationRoot } from '../../src/native.ts';

export const ROOT = installationRoot();

/** Every page that people read, as a path from the repository's root. */
export function pages(): string[] {
  const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
  const atTop = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [...atTop, ...inDocs].sort();
}

export function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The text without fenced code blocks. */
export function prose(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** A heading's anchor, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

export function anchors(text: string): string[] {
  return [...prose(text).matchAll(/^#{1,6} (.+)$/gm)].map((found) => anchorOf(found[1] ?? ''));
}

/** Targets of the links that lead into the repository. */
export function innerLinks(text: string): string[] {
  const targets = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map((found) => found[1] ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

export interface CodeBlock {
  /** What is behind the opening fence: "sh", "yaml faultline". */
  readonly info: string;
  readonly text: string;
}

export function codeBlocks(text: string): CodeBlock[] {
  return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', body = '']) => ({
    info: info.trim(),
    text: body,
  }));
}
