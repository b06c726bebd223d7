// The secrets that one call to a provider knows: nothing that the provider says may show them to anybody. A provider
// may repeat a request's headers in an error, for example.

import type { ProviderError } from '../domain/conversation/provider-error.ts'
import { minSecretLength, redactSecrets } from '../domain/conversation/redact-secrets.ts'
import { ByteRedactor } from './byte-redactor.ts'
import type { CallAdapter } from './provider-adapter.ts'

/** Of those that are sent with a credential. */
const publicHeaders: ReadonlySet<string> = new Set(['x-amz-date', 'anthropic-version'])

export class KnownSecrets {
  readonly #adapter: Pick<CallAdapter, 'secretsOf'>
  readonly #credential: string
  /** What the provider was sent; a set, because attempts repeat it. */
  readonly #sent = new Set<string>()
  /** What it was not sent, but may have got in another way. */
  readonly #others: readonly string[]

  constructor(adapter: Pick<CallAdapter, 'secretsOf'>, credential: string, others: readonly string[] = []) {
    this.#adapter = adapter
    this.#credential = credential
    this.#others = others
  }

  /** The headers that authorise a request, which may hold a token that the credential was exchanged for. */
  noteSent(headers: Readonly<Record<string, string>>): void {
    for (const name in headers) {
      const value = headers[name]
      if (value === undefined || publicHeaders.has(name)) continue
      for (const secret of secretsInHeader(value)) this.#sent.add(secret)
    }
  }

  redact(text: string): string {
    const { secretsOf } = this.#adapter
    const own = secretsOf === undefined ? [this.#credential] : secretsOf(this.#credential)
    return redactSecrets(text, [...own, ...this.#sent, ...this.#others.flatMap(secretsInHeader)])
  }

  redactError(error: ProviderError): ProviderError {
    const { message, param, code } = error
    const redact = (text: string | null) => (text === null ? null : this.redact(text))
    return { ...error, message: redact(message), param: redact(param), code: redact(code) }
  }

  /** For answers, whose size forbids to look for more than what was sent, as it was sent. */
  createByteRedactor(): ByteRedactor {
    return new ByteRedactor([...this.#sent])
  }
}

/** A header may have a scheme before the secret, as in `Bearer abc`. */
function secretsInHeader(value: string): string[] {
  const rest = value.slice(value.indexOf(' ') + 1)
  return [...new Set([value, rest])].filter(({ length }) => length >= minSecretLength)
}
