// A tenant's configuration of Vertex AI: a location, and the JSON key of a service account.

import { findRsaPrivateKey } from '../../crypto/keys/signing-key.ts'
import { accept, type Checked, refuse } from '../../domain/checked.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../domain/json-object.ts'
import { readFields } from './read-fields.ts'
import type { ServiceAccount } from './service-account.ts'

export interface VertexCredential {
  location: string
  service_account: ServiceAccount
}

/** Part of host names: nothing else may pass. */
const location = {
  form: /^(?:global|us|eu|[a-z]{2,16}-[a-z]{2,16}\d{1,2})$/,
  shape: 'global, us, eu or a region of Google Cloud such as europe-west4',
}
const accountRules = {
  project_id: { form: /^[a-z0-9.:-]{4,63}$/, shape: 'the id of a project' },
  private_key_id: { form: /^[\w-]{1,128}$/, shape: 'the id of the key' },
  private_key: { form: /^[\s\S]{1,16384}$/, shape: 'the private key, in PEM' },
  client_email: { form: /^[\w.+-]{1,128}@[\w.-]{1,128}$/, shape: 'the address of the service account' },
  token_uri: { form: /^https?:\/\/\S{1,2048}$/, shape: 'an https: address' },
}

/** The JSON key may be an object or its text. `token_uri` still has to be checked as an address. */
export function readVertexCredential(body: JsonObject): Checked<VertexCredential> {
  const place = readFields(body, { location })
  if (!place.ok) return place
  const given = body['service_account']
  if (given === undefined || given === null || given === '') return refuse('service_account is required')
  const account = typeof given === 'string' ? parseJson(given) : given
  if (!isJsonObject(account) || account['type'] !== 'service_account') {
    return refuse('service_account must be the JSON key of a service account')
  }
  const fields = readFields(account, accountRules)
  if (!fields.ok) return refuse(`service_account.${fields.message}`)
  if (findRsaPrivateKey(fields.value.private_key) === null) {
    return refuse('service_account.private_key must be an unencrypted RSA key of 2048 bits or more')
  }
  return accept({ ...place.value, service_account: fields.value })
}
