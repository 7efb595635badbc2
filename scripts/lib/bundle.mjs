// Bundles src/main.ts into dist/: few files, so that the daemon starts quickly and ships without node_modules.

import { chmodSync } from 'node:fs';
import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  logLevel: 'warning',
};

// net-snmp leans on sloppy mode (its agent assigns through a proxy whose trap says no), and everything inside an ES
// module is strict: it stays CommonJS, in a file of its own that is read only where SNMP is used.
const SLOPPY = ['net-snmp'];
const keepSloppy = {
  name: 'keep-sloppy',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(${SLOPPY.join('|')})$`) }, ({ path }) => ({ path: `./${path}.cjs`, external: true }));
  },
};

await build({
  ...common,
  entryPoints: ['src/main.ts'],
  outfile: 'dist/faultline.js',
  format: 'esm',
  external: ['*.node'],
  plugins: [keepSloppy],
  // CommonJS dependencies inside an ES module bundle still call require().
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
});
// A program of its own: what it loads must not be in the daemon.
await build({
  ...common,
  entryPoints: ['src/sources/system/inventory/inventory-child.ts'],
  outfile: 'dist/inventory-child.js',
  format: 'esm',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
});
for (const name of SLOPPY) {
  await build({ ...common, entryPoints: [name], outfile: `dist/${name}.cjs`, format: 'cjs' });
}
chmodSync('dist/faultline.js', 0o755);
