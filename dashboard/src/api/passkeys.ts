// Passkeys in this browser: makes one, and signs with one, by what the API says.
import type { ManagementRoutes } from '@sallyport/sdk'

type CreationOptions = ManagementRoutes['POST /auth/v1/users/current/passkeys/options']['output']
type NewPasskey = ManagementRoutes['POST /auth/v1/users/current/passkeys']['input']['body']['response']
type Passkey = ManagementRoutes['POST /auth/v1/sessions/passkey']['input']['body']['response']

/** Browsers refuse them on pages without TLS, except on `localhost`, and on IP addresses. */
export function canUsePasskeys(): boolean {
  const isName = !/^[\d.]+$|^\[/.test(location.hostname)
  return isName && typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

export async function createPasskey(options: CreationOptions): Promise<NewPasskey> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return toJson<NewPasskey>(await named(navigator.credentials.create({ publicKey })))
}

/** Any passkey that this person has here, unless the API knows who it must be. */
export async function askPasskey({ challenge, rpId }: { challenge: string; rpId?: string }): Promise<Passkey> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    challenge,
    rpId: rpId ?? location.hostname,
    userVerification: 'required',
  })
  return toJson<Passkey>(await named(navigator.credentials.get({ publicKey })))
}

/** The browser's own words for a passkey that was not used are about its rules, not about what happened. */
async function named(credential: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const found = await credential.catch((error: unknown) => {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError'
    const message = isKnown ? 'This device has a passkey of your account already.' : 'No passkey was used. Try again.'
    throw new Error(message, { cause: error })
  })
  if (!(found instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.')
  return found
}

function toJson<Response>(credential: PublicKeyCredential): Response {
  return credential.toJSON() as Response
}
