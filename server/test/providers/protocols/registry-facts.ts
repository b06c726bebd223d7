// What the registry's seed knows of the model of a recorded pair.

import { readModelFacts } from '../../../src/domain/conversation/model-facts.ts'
import type { Target } from '../../../src/providers/protocols/protocol.ts'
import { modelSeedRows } from '../../../src/storage/model-seed.ts'
import type { Pair } from './fixtures.ts'

const rows = new Map(modelSeedRows(0).map(row => [row.id, row]))

export function registryFacts(provider: string, { inbound }: Pair): Partial<Target> {
  const row = rows.get(`${provider}/${inbound['model']}`)
  return row === undefined ? {} : { facts: readModelFacts(row) }
}
