// Makes scripts of the bundle's modules, which the bundler splits only as ES modules: V8 takes compiled code that ships with a program
// for scripts alone (bundle-loader.cjs).

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';

/** Every `name.js` of the folder becomes `name.cjs`, as what it imports does. */
export async function asScripts(folder, options) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    const named = text.replace(/"\.\/([\w-]+)\.js"/g, (all, name) =>
      files.includes(`${name}.js`) ? `"./${name}.cjs"` : all,
    );
    const { code } = await transform(named, {
      ...options,
      format: 'cjs',
      legalComments: 'inline',
      supported: { 'dynamic-import': false },
      define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    });
    // As modules are by themselves.
    const strict = `"use strict";${code}`;
    if (/\bimport\.meta\b/.test(code)) throw new Error(`${file} uses more of import.meta than a script has`);
    rmSync(join(folder, file));
    writeFileSync(join(folder, file.replace(/\.js$/, '.cjs')), strict);
  }
}
