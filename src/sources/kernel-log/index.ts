import { defineSource } from '../define-source.ts';
import { resolve, schema } from './settings.ts';

export const kernelLog = defineSource({ name: 'kernel-log', schema, resolve });
