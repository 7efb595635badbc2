import { defineSource } from '../define-source.ts';
import { resolve, schema } from './settings.ts';

export const pci = defineSource({ name: 'pci', schema, resolve });
