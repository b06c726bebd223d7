// The key set on the hosts of projects, in a process without the api role. All copies hold the same signing key, so it is the
// document that the api role publishes, and no hop that could fail. Knows no other path.

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
