import { defineSource } from '../define-source.ts';
import { names, resolve, schema } from './settings.ts';

export const bmc = defineSource({ name: 'bmc', schema, resolve, names });
