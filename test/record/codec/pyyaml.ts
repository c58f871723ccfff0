/** PyYAML as an oracle: one python process for a batch of questions, one JSON line each. */
import { spawnSync } from 'node:child_process';

export const hasPyYaml: boolean = spawnSync('python3', ['-c', 'import yaml']).status === 0;

export type Question =
  /** Reads a file as FAVA does: split at the substring `---`, then `yaml.safe_load`. */
  | { readonly read: string }
  /** Writes a map of these entries as FAVA does; `confidence` is a float whatever JSON makes of it. */
  | { readonly dump: readonly (readonly [string, unknown])[] };

export interface Answer {
  readonly value?: unknown;
  readonly text?: string;
  readonly error?: string;
}

const SCRIPT = `
import json, sys, yaml

def plain(value):
    if isinstance(value, dict):
        assert all(isinstance(key, str) for key in value), 'a key is no string'
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value

for line in sys.stdin:
    question = json.loads(line)
    try:
        if 'read' in question:
            _, head, _ = question['read'].split('---', 2)
            answer = {'value': plain(yaml.safe_load(head))}
        else:
            fields = dict(question['dump'])
            if 'confidence' in fields:
                fields['confidence'] = float(fields['confidence'])
            answer = {'text': yaml.dump(fields, sort_keys=False, allow_unicode=True, default_flow_style=False)}
    except Exception as error:
        answer = {'error': repr(error)}
    print(json.dumps(answer, default=repr))
`;

export function askPyYaml(questions: readonly Question[]): Answer[] {
  const input = questions.map((question) => JSON.stringify(question)).join('\n');
  const run = spawnSync('python3', ['-X', 'utf8', '-c', SCRIPT], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`python3 failed: ${run.stderr}`);
  return run.stdout
    .trimEnd()
    .split('\n')
    .map((line): Answer => JSON.parse(line));
}
