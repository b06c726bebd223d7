// What comes before management's routes for anonymous users on a project's host, because only the gateway knows the
// project's settings without a query: CORS, the origins that are allowed, and whether there are anonymous users at all.
// Native apps send no origin; their attestation decides.

import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import { managementErrors } from '../http/error-formats.ts'
import type { RuntimeRequestHandler } from '../http/front/accept-request.ts'
import type { Incoming } from '../http/incoming.ts'
import { replyError } from '../http/reply.ts'
import { answerPreflight, applyCors, isPreflight } from './cors.ts'
import type { DiagnosticNotes } from './diagnostics.ts'
import type { ProjectConfig } from './project-config.ts'

interface BeforeAnonymous {
  getConfig(incoming: Incoming): Promise<ProjectConfig>
  diagnostics: Pick<DiagnosticNotes, 'note'>
  log: Log
}

export function beforeAnonymous(
  { getConfig, diagnostics, log }: BeforeAnonymous,
  next: RuntimeRequestHandler,
): RuntimeRequestHandler {
  return async (request, response, incoming) => {
    incoming.logContext.route = incoming.path
    try {
      const { project, live } = await getConfig(incoming)
      response.setHeader('vary', 'Origin')
      const { origin } = request.headers
      const isAllowed = origin === undefined || applyCors(response, origin, live.settings)
      if (!isAllowed) diagnostics.note(project, 'origin_rejected', origin)
      if (isPreflight(request)) return answerPreflight(request, response, isAllowed)
      if (live.settings.anonymous === null) throw new Refusal('anonymous_disabled')
      if (!isAllowed) throw new Refusal('origin_not_allowed')
    } catch (error) {
      return replyError(response, error, { format: managementErrors, log, requestId: incoming.id })
    }
    await next(request, response, incoming)
  }
}
