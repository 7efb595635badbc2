// Real libraries of several driver generations, where FAULTLINE_NVML_LIBRARIES names a folder with them: loaded by the child
// on a host without their driver.

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Rack } from './rack.ts';

const folder = process.env.FAULTLINE_NVML_LIBRARIES;
const libraries = folder === undefined ? [] : readdirSync(folder).filter((name) => /^libnvidia-ml\.so\.\d/.test(name));

test(
  'there are real libraries',
  {
    skip: libraries.length === 0 && 'FAULTLINE_NVML_LIBRARIES names no folder with libraries of NVIDIA',
  },
  () => assert.ok(libraries.length > 0),
);

for (const name of libraries) {
  test(`${name} loads, and says that its driver is not there`, async (context) => {
    const rack = new Rack(context, { withLibrary: false });
    await rack.notice('state', 'absent');
    rack.notices.length = 0;
    copyFileSync(join(folder ?? '', name), `${rack.library}.new`);
    renameSync(`${rack.library}.new`, rack.library);
    const absent = await rack.notice('state', 'absent');
    assert.match(absent.reason, /driver not loaded/i);
    assert.equal(rack.reported('child_exit').length, 0);
  });
}
