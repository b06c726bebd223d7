// The recorded traffic of every provider against its protocol, where this machine has it.

import { chatCompletions } from '../../../../src/providers/protocols/chat/chat-completions.ts'
import { mistralDialect, openaiDialect, openrouterDialect } from '../../../../src/providers/protocols/chat/dialects.ts'
import { describeProtocol } from '../protocol-suite.ts'
import { canonicaliseChat } from './canonical.ts'

describeProtocol({ provider: 'openai', protocol: chatCompletions(openaiDialect), canonicalise: canonicaliseChat })
describeProtocol({
  provider: 'openrouter',
  protocol: chatCompletions(openrouterDialect),
  canonicalise: canonicaliseChat,
})
describeProtocol({ provider: 'mistral', protocol: chatCompletions(mistralDialect), canonicalise: canonicaliseChat })
