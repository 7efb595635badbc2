import { defineSource } from '../define-source.ts';
import { schema } from './schema.ts';
import { names, resolve } from './settings.ts';

export const pdu = defineSource({ name: 'pdu', schema, resolve, names });
