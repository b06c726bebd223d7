// A tenant's configuration of Amazon Bedrock: region, and access keys or a role that the server assumes.

import { accept, type Checked, refuse } from '../../domain/checked.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { CloudTools } from './cloud-tools.ts'
import { isGiven, readFields, secretRule } from './read-fields.ts'

interface AccessKeys {
  access_key_id: string
  secret_access_key: string
  session_token: string | null
}

interface WebIdentityRole {
  role_arn: string
  web_identity_token_file: string
}

export interface BedrockCredential {
  region: string
  auth: AccessKeys | WebIdentityRole
}

/** Part of host names: nothing else may pass. */
const region = { form: /^[a-z]{2}(?:-[a-z]{1,12}){1,3}-\d{1,2}$/, shape: 'a region of AWS such as us-east-1' }
const accessKeyId = { form: /^\w{16,128}$/, shape: 'the id of an access key, 16 to 128 letters and digits' }
const roleArn = {
  form: /^arn:aws[a-z-]{0,16}:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
  shape: 'the ARN of a role, arn:aws:iam::<account>:role/<name>',
}

export function readBedrockCredential(
  body: JsonObject,
  { webIdentityFiles }: Pick<CloudTools, 'webIdentityFiles'>,
): Checked<BedrockCredential> {
  const place = readFields(body, { region })
  if (!place.ok) return place
  const isRole = isGiven(body, 'role_arn') || isGiven(body, 'web_identity_token_file')
  const isKeys = isGiven(body, 'access_key_id') || isGiven(body, 'secret_access_key')
  if (isRole === isKeys) {
    return refuse('Either access_key_id and secret_access_key or role_arn and web_identity_token_file is required')
  }
  const auth = isRole ? readRole(body, webIdentityFiles) : readAccessKeys(body)
  return auth.ok ? accept({ ...place.value, auth: auth.value }) : auth
}

function readAccessKeys(body: JsonObject): Checked<AccessKeys> {
  const keys = readFields(body, { access_key_id: accessKeyId, secret_access_key: secretRule })
  if (!keys.ok || !isGiven(body, 'session_token')) {
    return keys.ok ? accept({ ...keys.value, session_token: null }) : keys
  }
  const session = readFields(body, { session_token: secretRule })
  return session.ok ? accept({ ...keys.value, ...session.value }) : session
}

/** A tenant must not make the server read any other file: the operator lists the files that may be named. */
function readRole(body: JsonObject, allowed: ReadonlySet<string>): Checked<WebIdentityRole> {
  const { web_identity_token_file: file } = body
  const role = readFields(body, { role_arn: roleArn })
  if (!role.ok) return role
  if (typeof file !== 'string' || !allowed.has(file)) {
    return refuse('web_identity_token_file must be one of the files in WEB_IDENTITY_TOKEN_FILES of the server')
  }
  return accept({ ...role.value, web_identity_token_file: file })
}
