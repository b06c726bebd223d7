// docs/surfaces.md shows the matrix that the tests of this folder prove.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  chatCompletionsCells,
  embeddingsCells,
  featureNames,
  messagesCells,
  responsesCells,
  vectorFeatureNames,
} from './cells.ts'
import { messagesIn, tableOf } from './table.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/surfaces.md'), 'utf8')

const tables: [string, string, string[]][] = [
  ['/v1/chat/completions', tableOf(chatCompletionsCells, featureNames), messagesIn(chatCompletionsCells)],
  ['/v1/messages', tableOf(messagesCells, featureNames), messagesIn(messagesCells)],
  ['/v1/responses', tableOf(responsesCells, featureNames), messagesIn(responsesCells)],
  ['/v1/embeddings', tableOf(embeddingsCells, vectorFeatureNames), messagesIn(embeddingsCells)],
]

test.each(tables)('%s', (path, expected, messages) => {
  const section = page.split('\n## ').find(part => part.startsWith(`\`${path}\``)) ?? ''
  const table = section.split('\n').filter(line => line.startsWith('|'))
  expect(table.join('\n')).toBe(expected)
  for (const message of messages) expect(section).toContain(`\`${message}\``)
})
