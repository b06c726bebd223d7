// What the tests of the playground read and script.

export const completions = 'POST /v1/chat/completions'
export const hello = { messages: [{ role: 'user', content: 'Hello' }] }
export const openaiKey = 'sk-playground-0123456789abcdef'

export interface Stage {
  tenantId: string
  project: { id: string; slug: string }
  path: string
}

interface Chunk {
  object?: string
  choices: { delta: { content?: string } }[]
  error?: { code: string }
}

export function chunksOf(text: string): Chunk[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('data: {'))
    .map(line => JSON.parse(line.slice('data: '.length)))
}
