// Creates admitted calls for tests.
import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { AdmittedCall, type CallContext, type CallSubject, type Ending } from '../../src/call/admitted-call.ts'
import { resolveForTier } from '../../src/domain/resolved-config.ts'
import { initialLiveConfig } from '../../src/domain/settings/live-config.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { chatCompletions, chatCompletionsEndpoint } from '../../src/surfaces/chat-completions/chat-completions.ts'

const silent = () => undefined

/** A call whose client is not connected: it sends nothing and receives nothing. */
export function createCall(subject: Partial<CallSubject> = {}, context: Partial<CallContext> = {}): AdmittedCall {
  const request = new IncomingMessage(new Socket())
  const [projectId, tenantId] = [randomUUID(), randomUUID()]
  const live = initialLiveConfig(
    { id: projectId, tenant_id: tenantId, slug: 'shop' },
    defaultSettings('http://localhost'),
  )
  return new AdmittedCall(
    {
      verified: {
        requestId: randomUUID(),
        tenantId,
        projectId,
        userId: 'alice',
        role: 'user',
        tier: null,
        scopes: [],
        authProvider: 'service',
        sessionId: null,
        threadId: null,
      },
      route: chatCompletionsEndpoint.pattern,
      format: chatCompletions,
      request,
      response: new ServerResponse(request),
      body: null,
      estimated: null,
      prompt: null,
      live,
      resolved: resolveForTier(live, undefined, 0),
      promptEstimate: 7,
      reportsUsage: false,
      ...subject,
    },
    { account: null, registry: null, onCutOff: silent, now: Date.now, ...context },
  )
}

/** Resolves when the call has to end early. */
export function endingOf(call: AdmittedCall): Promise<Ending> {
  return new Promise(resolve => call.listen(resolve))
}
