// Cohere's recorded traffic against its protocol, where this machine has it, with what the registry knows of the
// models.

import { cohere } from '../../../../src/providers/protocols/cohere/cohere.ts'
import { describeProtocol } from '../protocol-suite.ts'
import { registryFacts } from '../registry-facts.ts'
import { canonicaliseCohere } from './canonical.ts'

describeProtocol({
  provider: 'cohere',
  protocol: cohere,
  canonicalise: canonicaliseCohere,
  targetOf: pair => registryFacts('cohere', pair),
})
