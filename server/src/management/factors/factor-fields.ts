// Fields of requests that prove a factor: codes, and what browsers return from passkeys.

import { z } from 'zod'

/** Far more than a browser returns without an attestation. */
const maxBytes = 8192

function bytesField(path: string) {
  return z
    .string({ error: `${path} is required` })
    .max(maxBytes, { error: `${path} must be at most ${maxBytes} characters` })
    .regex(/^[A-Za-z0-9_-]+$/, { error: `${path} must be base64url` })
}

function textField(path: string) {
  return z.string({ error: `${path} must be a text` }).max(64, { error: `${path} must be at most 64 characters` })
}

export const codeField = (path = 'code') => textField(path).regex(/^\d{6}$/, { error: `${path} must be six digits` })
export const backupCodeField = textField('backup_code')

/** What the browser's `navigator.credentials.create` returns, by `toJSON()`. */
export const newPasskeyField = z.object(
  {
    id: bytesField('response.id'),
    response: z.object(
      {
        clientDataJSON: bytesField('response.response.clientDataJSON'),
        attestationObject: bytesField('response.response.attestationObject'),
      },
      { error: 'response.response must be an object' },
    ),
  },
  { error: 'response must be what the browser returned' },
)

/** What the browser's `navigator.credentials.get` returns, by `toJSON()`. */
export function passkeyField(path: string) {
  return z.object(
    {
      id: bytesField(`${path}.id`),
      response: z.object(
        {
          clientDataJSON: bytesField(`${path}.response.clientDataJSON`),
          authenticatorData: bytesField(`${path}.response.authenticatorData`),
          signature: bytesField(`${path}.response.signature`),
          userHandle: bytesField(`${path}.response.userHandle`).nullable().optional(),
        },
        { error: `${path}.response must be an object` },
      ),
    },
    { error: `${path} must be what the browser returned` },
  )
}

/** What a browser passes to `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const requestOptionsSchema = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.literal('required'),
})

/** Exactly one of these fields, so that it is clear what was proven. */
export function isExactlyOne(values: readonly unknown[]): boolean {
  return values.filter(value => value !== undefined).length === 1
}
