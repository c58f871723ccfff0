import { expect, test } from 'vitest';
import { previewOf } from '../../src/record/preview.ts';

test('previewOf keeps 200 characters and marks a cut', () => {
  expect(previewOf('')).toBe('');
  expect(previewOf('a'.repeat(200))).toBe('a'.repeat(200));
  expect(previewOf('a'.repeat(201))).toBe(`${'a'.repeat(200)}...`);
});

test('previewOf counts code points and splits no pair', () => {
  expect(previewOf('🚀'.repeat(200))).toBe('🚀'.repeat(200));
  expect(previewOf(`a${'🚀'.repeat(200)}`)).toBe(`a${'🚀'.repeat(199)}...`);
  expect(previewOf(`${'a'.repeat(199)}🚀b`)).toBe(`${'a'.repeat(199)}🚀...`);
});
