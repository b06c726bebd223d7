// Reads docs/api-examples.json: for each operation a request and its response, recorded while the contract tests ran.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Example {
  /** With its ids and query, below the address that serves the operation. */
  path: string
  /** The JSON of the request; undefined if it has no body. */
  body?: unknown
  status: number
  /** JSON, or the text of a stream or table; undefined if the response has no body. */
  response?: unknown
}

/** By operation id. */
export type Examples = Readonly<Record<string, Example>>

export const examplesFile = 'api-examples.json'

export function readExamples(docsFolder: string): Examples {
  return JSON.parse(readFileSync(join(docsFolder, examplesFile), 'utf8')) as Examples
}
