// The request bodies of the load: one kilobyte of JSON each.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mode } from './load.ts'

/** Returns the file of each kind. */
export function writeBodies(folder: string): Record<Mode['kind'], string> {
  const base = { model: 'gpt-4o-mini', temperature: 0.7, max_tokens: 256 }
  const system = { role: 'system', content: 'You are a helpful assistant. Answer briefly and to the point.' }
  const body = (more: object): string => {
    const make = (content: string) =>
      JSON.stringify({ ...base, ...more, messages: [system, { role: 'user', content }] })
    const sentence = 'Tell me how the harbour of the old town was built and by whom. '
    return make(sentence.repeat(20).slice(0, 1024 - make('').length))
  }
  const write = (kind: Mode['kind'], text: string): string => {
    const file = join(folder, `${kind}.json`)
    writeFileSync(file, text)
    return file
  }
  return {
    short: write('short', body({})),
    paced: write('paced', body({ stream: true })),
    burst: write('burst', body({ stream: true, metadata: { pace: 'burst' } })),
  }
}
