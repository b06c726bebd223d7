// The body that configures a custom provider: its checks, and its models in the form of the registry.

import { z } from 'zod'
import { accept, type Checked, refuse } from '../../domain/checked.ts'
import { cleanName } from '../../domain/clean-name.ts'
import { isJsonObject } from '../../domain/json-object.ts'
import type { ListedModel } from '../../providers/models/model-page.ts'
import { checked, checkedOptional } from '../plane/fields.ts'
import { checkModels, maxModels, modelInput } from './tenant-model-fields.ts'

const maxHeaders = 20

/** Headers that frame a request or that the product sets itself. */
const reservedHeaders = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export const customProviderBody = z.object({
  display_name: checked<string>({ type: 'string', minLength: 1, maxLength: 255 }, value =>
    cleanName(value, 'display_name'),
  ),
  base_url: checked<string>(
    { type: 'string', format: 'uri', description: 'The address below which `/chat/completions` is' },
    value => (typeof value === 'string' && value.trim() !== '' ? accept(value) : refuse('base_url is required')),
  ),
  api_key: checkedOptional<string | null>(
    { type: 'string', maxLength: 1024, description: 'Sent as a bearer token; none by default' },
    checkApiKey,
  ),
  headers: checkedOptional<Record<string, string>>(
    { type: 'object', additionalProperties: { type: 'string' }, description: 'Sent with every request' },
    checkHeaders,
  ),
  models: checkedOptional<ListedModel[] | null>(
    { type: 'array', maxItems: maxModels, items: modelInput, description: 'Read from `/models` by default' },
    value => (value === undefined || value === null ? accept(null) : checkModels(value, 'models')),
  ),
})

function checkApiKey(value: unknown): Checked<string | null> {
  if (value === undefined || value === null || value === '') return accept(null)
  const key = typeof value === 'string' ? value.trim() : ''
  if (/^[\x21-\x7e]{1,1024}$/.test(key)) return accept(key)
  return refuse('api_key must be 1-1024 printable ASCII characters without white space')
}

function checkHeaders(value: unknown): Checked<Record<string, string>> {
  if (value === undefined || value === null) return accept({})
  if (!isJsonObject(value)) return refuse('headers must be an object')
  const entries = Object.entries(value)
  if (entries.length > maxHeaders) return refuse(`headers must have at most ${maxHeaders} members`)
  const headers: Record<string, string> = {}
  for (const [given, content] of entries) {
    const name = given.toLowerCase()
    if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name)) {
      return refuse('headers must have names of 1-100 letters, digits, dots, hyphens and underscores')
    }
    if (reservedHeaders.has(name)) return refuse(`headers must not set ${name}`)
    if (Object.hasOwn(headers, name)) return refuse(`headers must not set ${name} twice`)
    if (typeof content !== 'string' || !/^[\x20-\x7e]{1,4096}$/.test(content)) {
      return refuse('headers must have values of 1-4096 printable ASCII characters')
    }
    headers[name] = content
  }
  return accept(headers)
}
