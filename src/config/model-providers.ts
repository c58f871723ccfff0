/** Public services of models, by the names FAVA gives them: where each is reached when a machine names no address. */

export interface ModelService {
  /** Base address of its chat API. */
  readonly chat: string;
  /** Base address of its decisions, `null` when it has none. */
  readonly decisions: string | null;
  /** The variable its key is usually in. */
  readonly keyEnv: string;
}

const MODEL_SERVICES: Readonly<Record<string, ModelService>> = {
  openrouter: {
    chat: 'https://openrouter.ai/api/v1',
    decisions: 'https://openrouter.ai/api',
    keyEnv: 'OPENROUTER_API_KEY',
  },
  openai: { chat: 'https://api.openai.com/v1', decisions: null, keyEnv: 'OPENAI_API_KEY' },
};

/** `null` for a name that is no public service of the table. */
export function modelServiceOf(provider: string): ModelService | null {
  return Object.hasOwn(MODEL_SERVICES, provider) ? (MODEL_SERVICES[provider] ?? null) : null;
}
