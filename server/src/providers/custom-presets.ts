// Addresses of well-known servers that speak OpenAI's chat-completions format, as suggestions for custom providers.

export interface CustomPreset {
  slug: string
  display_name: string
  base_url: string
  /** False if the server takes requests without a key, unless it was configured otherwise. */
  needs_key: boolean
}

export const customPresets: readonly CustomPreset[] = [
  { slug: 'ollama', display_name: 'Ollama', base_url: 'http://localhost:11434/v1', needs_key: false },
  { slug: 'vllm', display_name: 'vLLM', base_url: 'http://localhost:8000/v1', needs_key: false },
  { slug: 'groq', display_name: 'Groq', base_url: 'https://api.groq.com/openai/v1', needs_key: true },
  { slug: 'deepseek', display_name: 'DeepSeek', base_url: 'https://api.deepseek.com/v1', needs_key: true },
  { slug: 'xai', display_name: 'xAI', base_url: 'https://api.x.ai/v1', needs_key: true },
  { slug: 'together', display_name: 'Together AI', base_url: 'https://api.together.xyz/v1', needs_key: true },
  {
    slug: 'fireworks',
    display_name: 'Fireworks AI',
    base_url: 'https://api.fireworks.ai/inference/v1',
    needs_key: true,
  },
]
