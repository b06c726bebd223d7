// Publishes the key set on projects' hosts in a process without the api role. All replicas hold the same signing key,
// so this is the document that the api role publishes, without a request to it that could fail.

import { keySetHeaders, type PublicJwk } from '../../crypto/keys/signing-key.ts'
import { Refusal } from '../../domain/errors.ts'
import type { RuntimeRequestHandler } from '../../http/front/accept-request.ts'
import { keySetPath } from '../../http/front/host-decision.ts'
import { refuseOtherThanGet } from '../../http/only-get.ts'
import { replyJson } from '../../http/reply.ts'

export function createKeySetPlane(document: { keys: PublicJwk[] }): RuntimeRequestHandler {
  return (_request, response, { method, path, logContext }) => {
    if (path !== keySetPath) throw new Refusal('not_found')
    logContext.route = keySetPath
    refuseOtherThanGet(method)
    replyJson(response, 200, document, keySetHeaders)
  }
}
