import { describe, expect, test } from 'vitest';
import { parseFavaMachineConfig, parseMachineConfig } from '../../src/config/index.ts';
import { value } from '../support/record.ts';

const yaml = (text: string) => Buffer.from(text);

describe('atrib_log_url and atrib_archive_url', () => {
  test.each([
    ['https://log.example.org/v1', 'https://log.example.org/v1'],
    ['https://log.example.org/v1/', 'https://log.example.org/v1'],
    ['https://LOG.example.org', 'https://log.example.org'],
    ['http://localhost:8080/v1', 'http://localhost:8080/v1'],
    ['http://127.0.0.1:9', 'http://127.0.0.1:9'],
    ['http://[::1]:9/x', 'http://[::1]:9/x'],
  ])('take %s', (text, address) => {
    for (const key of ['atrib_log_url', 'atrib_archive_url']) {
      expect(value(parseMachineConfig(yaml(`${key}: "${text}"`), 'file'))).toEqual({ [key]: address });
    }
  });

  test.each([
    'http://log.example.org/v1',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
    'ftp://log.example.org',
    'file:///etc/passwd',
    'https://user:password@log.example.org',
    'https://log.example.org/v1?key=1',
    'https://log.example.org/v1#x',
    'log.example.org',
    '',
    `https://log.example.org/${'x'.repeat(2048)}`,
  ])('refuse %s', (text) => {
    for (const field of ['atrib_log_url', 'atrib_archive_url']) {
      expect(parseMachineConfig(yaml(`${field}: "${text}"`), 'file')).toMatchObject({ code: 'repository', field });
    }
  });

  test("are no keys of FAVA's file", () => {
    const text = yaml('atrib_log_url: "https://log.example.org/v1"');
    expect(parseFavaMachineConfig(text, 'file').ok).toBe(false);
    expect(parseMachineConfig(text, 'file').ok).toBe(true);
    expect(value(parseFavaMachineConfig(yaml('trust_gate_model: "m"'), 'file'))).toEqual({ trust_gate_model: 'm' });
  });
});
