// Bundles src/main.ts into dist/: few files, so that the daemon starts quickly and ships without node_modules.

import { chmodSync, writeFileSync } from 'node:fs';
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
    onResolve({ filter: new RegExp(`^(${SLOPPY.join('|')})$`) }, ({ path }) => ({
      path: `./${path}.cjs`,
      external: true,
    }));
  },
};

await build({
  ...common,
  entryPoints: ['src/main.ts'],
  outfile: 'dist/main.js',
  format: 'esm',
  external: ['*.node'],
  plugins: [keepSloppy],
  // CommonJS dependencies inside an ES module bundle still call require().
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
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
// The program itself: an old Node cannot even parse the bundle, and deserves a sentence instead of a stack.
writeFileSync(
  'dist/faultline.js',
  `#!/usr/bin/env node
var major = Number(process.versions.node.split('.')[0]);
if (major >= 24) import('./main.js');
else {
  console.error('FL1003 faultline needs Node 24 or later; this is ' + process.version + '. ./scripts/demo brings one into .tools; or put a newer node on the PATH');
  process.exitCode = 1;
}
`,
);
chmodSync('dist/faultline.js', 0o755);
