// Anthropic's recorded traffic against its protocol, where this machine has it, with what the registry knows of the
// models.

import { readModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import { anthropic } from '../../../../src/providers/protocols/anthropic/anthropic.ts'
import { modelSeedRows } from '../../../../src/storage/model-seed.ts'
import { describeProtocol } from '../protocol-suite.ts'
import { canonicaliseAnthropic } from './canonical.ts'

const rows = new Map(modelSeedRows(0).map(row => [row.id, row]))

describeProtocol({
  provider: 'anthropic',
  protocol: anthropic,
  canonicalise: canonicaliseAnthropic,
  targetOf({ inbound }) {
    const row = rows.get(`anthropic/${inbound['model']}`)
    return row === undefined ? {} : { facts: readModelFacts(row) }
  },
})
