// Google's recorded traffic against the Gemini format, where this machine has it, with what the registry knows of the
// models.

import { gemini } from '../../../../src/providers/protocols/gemini/gemini.ts'
import { describeProtocol } from '../protocol-suite.ts'
import { registryFacts } from '../registry-facts.ts'
import { canonicaliseGemini } from './canonical.ts'

describeProtocol({
  provider: 'google',
  protocol: gemini,
  canonicalise: canonicaliseGemini,
  targetOf: pair => registryFacts('google', pair),
  isOtherAnswer: ({ request }) => request?.url.endsWith(':batchGenerateContent') === true,
  // Reasoning of another provider's model, that only this one can read, does not go to Google.
  expectedOf: ({ canonical, inbound }) =>
    JSON.stringify(inbound['messages']).includes('"reasoning.encrypted"')
      ? { ...canonical, turns: canonical.turns.map(turn => ({ ...turn, other: [] })) }
      : canonical,
})
