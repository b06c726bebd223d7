// What the matrix needs of a client of one surface: its requests, and how it reads answers and errors.

import type { Asked, View } from './scenes.ts'

export interface Client {
  path: string
  headers?: Record<string, string>
  body(asked: Asked): object
  readWhole(body: unknown): View
  readStream(text: string): View
  /** Throws if the body is not an error in the client's format. */
  readError(body: unknown): { message: string }
}

export const silentView: View = {
  text: '',
  reasoning: '',
  refusal: '',
  calls: [],
  finish: null,
  hasFailed: false,
  tokens: null,
}

/** The data of each event of a stream; throws at an event that is not JSON. */
export function eventsIn(text: string): unknown[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map(line => JSON.parse(line.slice('data: '.length)) as unknown)
}
